public import LinuxDiscovery

extension MDNSNode {
    /// What the node has counted since it began, also when it has been closed.
    public func statistics() -> NodeStatistics { node.statistics }
}
