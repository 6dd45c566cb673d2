public import DNSSD

/// The events of a browse.
public typealias BrowseEvents = EventSequence<BrowseEvent>

/// The events of a resolution.
public typealias ResolveEvents = EventSequence<Resolution>

/// The events of an enumeration of service types.
public typealias TypeEvents = EventSequence<TypeEvent>

/// The events of a look-up of a host's addresses.
public typealias AddressEvents = EventSequence<AddressEvent>

/// The events of a look-up of names.
public typealias NameEvents = EventSequence<NameEvent>

/// The events of a query for records.
public typealias RecordEvents = EventSequence<RecordEvent>

/// Where a registration stands.
public typealias RegistrationEvents = EventSequence<RegistrationStatus>
