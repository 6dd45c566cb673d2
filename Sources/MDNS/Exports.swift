// What a user of this module meets in its signatures, so that `import MDNS` is enough.
@_exported public import DNSMessages
@_exported public import DNSSD
@_exported public import NetworkPrimitives
