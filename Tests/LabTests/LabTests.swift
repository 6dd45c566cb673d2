import ProcessSupport
import Testing

/// Everything that happens between hosts, each test in a lab of its own.
@Suite(
    "In the lab",
    .enabled("the lab can't be used here") {
        if LabAvailability.isRequired { return true }
        let lack = await LabAvailability.lack.value
        return LeftOut.unless(lack == nil, "the lab (\(lack ?? ""))")
    })
enum LabTests {}

/// Where the lab is a duty, its absence is told once and plainly.
@Suite("The lab")
struct LabAvailabilityTests {
    @Test("The lab can be used here", .enabled(if: LabAvailability.isRequired, "not required"))
    func isUsable() async {
        #expect(await LabAvailability.lack.value == nil)
    }
}
