import NetworkPrimitives
import Testing

@Suite struct SeededGeneratorTests {
    @Test("an Int is drawn as one of 64 bits, so that a seed gives one run on any processor")
    func integers() {
        var ours = SeededGenerator(seed: 5)
        var theirs = SeededGenerator(seed: 5)
        for bound in 1..<500 {
            #expect(
                Int64(ours.integer(in: -3..<bound))
                    == Int64.random(in: -3..<Int64(bound), using: &theirs))
            #expect(
                Int64(ours.integer(in: 0...bound))
                    == Int64.random(in: 0...Int64(bound), using: &theirs))
        }
        #expect(ours == theirs)
    }

    @Test("every element is drawn, none is where there is none")
    func elements() {
        var generator = SeededGenerator(seed: 6)
        let letters = ["a", "b", "c"]
        #expect(Set((0..<100).compactMap { _ in generator.element(of: letters) }) == Set(letters))
        #expect(generator.element(of: [Int]()) == nil)
        #expect(generator.element(of: letters[1..<2]) == "b")
    }

    @Test("every order is drawn, and as often")
    func orders() {
        var generator = SeededGenerator(seed: 7)
        var counts: [[Int]: Int] = [:]
        for _ in 0..<6000 { counts[generator.shuffled([1, 2, 3]), default: 0] += 1 }
        #expect(counts.count == 6)
        #expect(counts.values.allSatisfy { (800...1200).contains($0) })
        #expect(generator.shuffled([Int]()) == [])
    }
}
