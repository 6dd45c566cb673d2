extension FieldElement {
    /// The inverse, and zero for zero: the power p − 2 (Fermat), by a chain of squarings that is
    /// the same for every value.
    ///
    /// p − 2 = 2^255 − 21 is 250 ones and then 01011. A run of n ones, 2^n − 1, is made from
    /// shorter runs: one of m + n is the run of m, squared n times, times the run of n.
    func inverted() -> FieldElement {
        let power2 = squared()
        let power9 = power2.squared(times: 2) * self
        let power11 = power9 * power2
        let ones5 = power11.squared() * power9
        let ones10 = ones5.squared(times: 5) * ones5
        let ones20 = ones10.squared(times: 10) * ones10
        let ones40 = ones20.squared(times: 20) * ones20
        let ones50 = ones40.squared(times: 10) * ones10
        let ones100 = ones50.squared(times: 50) * ones50
        let ones200 = ones100.squared(times: 100) * ones100
        let ones250 = ones200.squared(times: 50) * ones50
        return ones250.squared(times: 5) * power11
    }

    private func squared(times: Int) -> FieldElement {
        var result = self
        for _ in 0..<times { result = result.squared() }
        return result
    }
}
