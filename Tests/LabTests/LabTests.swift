import Testing

/// Everything that happens between hosts, each test in a lab of its own.
@Suite(
    "In the lab",
    .enabled(
        if: LabAvailability.shouldRun,
        "the lab can't be used here: \(LabAvailability.missing ?? "")"),
    .enabled(LabAvailability.missingModules) {
        if LabAvailability.isRequired { return true }
        return await LabAvailability.hasModules.value
    })
enum LabTests {}

/// Where the lab is a duty, its absence is told once and plainly.
@Suite("The lab")
struct LabAvailabilityTests {
    @Test("The lab can be used here", .enabled(if: LabAvailability.isRequired, "not required"))
    func isUsable() async {
        #expect(LabAvailability.missing == nil)
        #expect(await LabAvailability.hasModules.value, LabAvailability.missingModules)
    }
}
