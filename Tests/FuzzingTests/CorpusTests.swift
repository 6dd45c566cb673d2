import FuzzChecks
import LinuxNetworking
import TestSupport
import Testing

@Suite struct CorpusTests {
    @Test("every input kept from fuzzing passes", arguments: FuzzTarget.allCases)
    func corpus(target: FuzzTarget) throws {
        let folder = ProjectFiles.fixture("Corpus/\(target.rawValue)")
        let files = try SystemFile.files(under: folder)
        #expect(!files.isEmpty)
        for file in files {
            let fault = target.check(try SystemFile.read("\(folder)/\(file)"))
            #expect(fault == nil, "\(file)")
        }
    }
}
