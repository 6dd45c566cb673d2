import MulticastDNS

/// What was started and runs, by its kind.
enum Operation: Sendable {
    case browse(ServiceBrowse)
    case types(TypeEnumeration)
    case names(NameEnumeration)
    case resolution(ServiceResolution)
    case addresses(AddressLookup)
    case records(QueryID)
    case service(ServiceRegistration)
    case publication(RecordPublication)
}
