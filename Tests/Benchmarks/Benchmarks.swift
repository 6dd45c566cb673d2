import DNSMessages
import LinuxNetworking

/// Measures the codec over a corpus of messages, and the engine over what it holds.
@main
enum Benchmarks {
    static let usage = """
        usage: Benchmarks decode|encode CORPUS SECONDS
               Benchmarks repeat decode|encode CORPUS ROUNDS
               Benchmarks engine
               Benchmarks engine unwanted|refresh|legacy RECORDS PACKETS

        CORPUS is a file as Tests/Benchmarks/peers/corpus.py makes it. `repeat` runs a fixed
        number of rounds over it: run it under `valgrind` with two numbers of rounds, and the
        difference of the allocations it reports is what the rounds between cost. In the same way
        two runs of one kind of packet under `perf stat` show what such a packet costs.
        """

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("decode", 3), ("encode", 3):
            guard let seconds = Double(arguments[2]) else { break }
            let corpus = try Corpus(path: arguments[1])
            print(
                arguments[0] == "decode"
                    ? MessageBenchmarks.decode(corpus, seconds: seconds)
                    : MessageBenchmarks.encode(corpus, seconds: seconds))
            return
        case ("repeat", 4):
            guard let rounds = Int(arguments[3]) else { break }
            print(
                MessageBenchmarks.repeated(
                    arguments[1], try Corpus(path: arguments[2]), rounds: rounds))
            return
        case ("engine", 1):
            try EngineBenchmarks.run()
            return
        case ("engine", 4):
            guard let kind = EngineBenchmarks.Packet(rawValue: arguments[1]),
                let records = Int(arguments[2]), let packets = Int(arguments[3])
            else { break }
            print(try EngineBenchmarks.cost(of: kind, holding: records, count: packets))
            return
        default: break
        }
        print(usage)
    }
}
