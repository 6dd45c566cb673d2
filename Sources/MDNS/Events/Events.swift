public import DNSSD

/// What a browse tells: added, changed, removed, each once.
public typealias BrowseEvent = BrowseChange
/// The events of a browse.
public typealias BrowseEvents = EventSequence<BrowseEvent>

/// What a resolution tells, for each interface by itself.
public typealias ResolveEvent = ResolutionChange
/// The events of a resolution.
public typealias ResolveEvents = EventSequence<ResolveEvent>

/// What an enumeration of service types tells.
public typealias TypeEvent = TypeChange
/// The events of an enumeration of service types.
public typealias TypeEvents = EventSequence<TypeEvent>

/// What a look-up of a host's addresses tells.
public typealias AddressEvent = AddressChange
/// The events of a look-up of a host's addresses.
public typealias AddressEvents = EventSequence<AddressEvent>

/// What a look-up of the names to an address, or of domains, tells.
public typealias NameEvent = NameChange
/// The events of a look-up of names.
public typealias NameEvents = EventSequence<NameEvent>

/// What a query for records tells.
public typealias RecordEvent = RecordChange
/// The events of a query for records.
public typealias RecordEvents = EventSequence<RecordEvent>

/// Where a registration stands.
public typealias RegistrationEvents = EventSequence<RegistrationStatus>
