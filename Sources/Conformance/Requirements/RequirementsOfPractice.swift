/// Rules that no document states: what must be refused and what must be put up with.
enum RequirementsOfPractice {
    static let all: [Requirement] = malformed + tolerated
}
