package import DNSMessages
package import NetworkPrimitives

// What a watcher may see of an engine. Nothing in here decides anything.

/// How much one link holds: what the limits are about.
package struct LinkLoad: Hashable, Sendable {
    package var cachedRecords: Int
    package var questions: Int
    package var publications: Int
    package var timers: Int
    package var waitingReplies: Int
    package var truncatedQueriers: Int

    package init(
        cachedRecords: Int = 0, questions: Int = 0, publications: Int = 0, timers: Int = 0,
        waitingReplies: Int = 0, truncatedQueriers: Int = 0
    ) {
        self.cachedRecords = cachedRecords
        self.questions = questions
        self.publications = publications
        self.timers = timers
        self.waitingReplies = waitingReplies
        self.truncatedQueriers = truncatedQueriers
    }
}

extension Engine {
    /// What a link holds, the links in order of the interfaces' numbers; nil behind the last.
    package func load(ofLink number: Int) -> LinkLoad? {
        guard links.indices.contains(number) else { return nil }
        return LinkLoad(
            cachedRecords: links[number].cache.count, questions: links[number].querier.count,
            publications: links[number].claims.publicationCount,
            timers: links[number].timerCount,
            waitingReplies: links[number].responder.waitingReplyCount,
            truncatedQueriers: links[number].responder.truncatedQuerierCount)
    }

    /// Whether somebody has started this query and not stopped it, or it reconfirms a record.
    package func wants(_ question: Question, on interface: InterfaceIndex) -> Bool {
        let link = links.first { $0.index == interface }
        guard let active = link?.querier[question] else { return false }
        if active.reconfirmsUntil != nil { return true }
        return active.subscribers.contains { id in
            queryPlace(id).map {
                queries[$0].question.name == question.name
                    && queries[$0].question.type == question.type
            } ?? false
        }
    }

    /// Shows the cached records that answer a question, with the end of each and whether it is
    /// being reconfirmed.
    package func inspectCache(
        answering question: Question, on interface: InterfaceIndex,
        _ body: (_ record: ResourceRecord, _ expiry: Instant, _ needsReconfirmation: Bool) -> Void
    ) {
        guard let link = links.first(where: { $0.index == interface }) else { return }
        link.cache.forEach(named: HashedName(question.name)) { entry in
            if question.matches(entry.record) {
                body(entry.record, entry.expiry, entry.needsReconfirmation)
            }
        }
    }
}
