#if arch(wasm32)
    // What compiler-rt has for integers of 128 bits, which `Duration` is made of. The toolchain
    // has no compiler-rt for bare wasm32. None of it may use such integers itself.

    /// An integer of 128 bits.
    private struct Wide {
        var low: UInt64
        var high: UInt64

        var isNegative: Bool { high >> 63 == 1 }

        var magnitude: Wide { isNegative ? negated : self }

        var negated: Wide {
            let low = ~low &+ 1
            return Wide(low: low, high: ~high &+ (low == 0 ? 1 : 0))
        }

        func bit(_ place: UInt64) -> UInt64 {
            place >= 64 ? (high >> (place &- 64)) & 1 : (low >> place) & 1
        }

        /// The quotient, by long division: both as unsigned.
        func divided(by divisor: Wide) -> Wide {
            if high == 0, divisor.high == 0 { return Wide(low: low / divisor.low, high: 0) }
            var quotient = Wide(low: 0, high: 0)
            var rest = Wide(low: 0, high: 0)
            var place: UInt64 = 128
            while place > 0 {
                place &-= 1
                rest = Wide(low: rest.low << 1, high: (rest.high << 1) | (rest.low >> 63))
                rest.low |= bit(place)
                guard
                    rest.high > divisor.high
                        || (rest.high == divisor.high && rest.low >= divisor.low)
                else { continue }
                let borrow: UInt64 = rest.low < divisor.low ? 1 : 0
                rest = Wide(
                    low: rest.low &- divisor.low, high: rest.high &- divisor.high &- borrow)
                if place >= 64 {
                    quotient.high |= 1 << (place &- 64)
                } else {
                    quotient.low |= 1 << place
                }
            }
            return quotient
        }

        func store(in result: UnsafeMutablePointer<UInt64>) {
            result[0] = low
            result[1] = high
        }
    }

    @_cdecl("__multi3")
    func multiply(
        _ result: UnsafeMutablePointer<UInt64>, _ leftLow: UInt64, _ leftHigh: UInt64,
        _ rightLow: UInt64, _ rightHigh: UInt64
    ) {
        let half: UInt64 = 0xFFFF_FFFF
        let lowest = (leftLow & half) &* (rightLow & half)
        let middle = (leftLow >> 32) &* (rightLow & half)
        let other = (leftLow & half) &* (rightLow >> 32)
        let carried = (lowest >> 32) &+ (middle & half) &+ (other & half)
        let high =
            (leftLow >> 32) &* (rightLow >> 32) &+ (middle >> 32) &+ (other >> 32)
            &+ (carried >> 32) &+ leftLow &* rightHigh &+ leftHigh &* rightLow
        Wide(low: (lowest & half) | (carried << 32), high: high).store(in: result)
    }

    @_cdecl("__udivti3")
    func divideUnsigned(
        _ result: UnsafeMutablePointer<UInt64>, _ leftLow: UInt64, _ leftHigh: UInt64,
        _ rightLow: UInt64, _ rightHigh: UInt64
    ) {
        let left = Wide(low: leftLow, high: leftHigh)
        left.divided(by: Wide(low: rightLow, high: rightHigh)).store(in: result)
    }

    @_cdecl("__divti3")
    func divideSigned(
        _ result: UnsafeMutablePointer<UInt64>, _ leftLow: UInt64, _ leftHigh: UInt64,
        _ rightLow: UInt64, _ rightHigh: UInt64
    ) {
        let left = Wide(low: leftLow, high: leftHigh)
        let right = Wide(low: rightLow, high: rightHigh)
        let quotient = left.magnitude.divided(by: right.magnitude)
        let isNegative = left.isNegative != right.isNegative
        (isNegative ? quotient.negated : quotient).store(in: result)
    }

    @_cdecl("__lshrti3")
    func shiftRight(
        _ result: UnsafeMutablePointer<UInt64>, _ low: UInt64, _ high: UInt64, _ count: Int32
    ) {
        let count = UInt64(count)
        let shifted =
            count == 0
            ? Wide(low: low, high: high)
            : count < 64
                ? Wide(low: (low >> count) | (high << (64 &- count)), high: high >> count)
                : Wide(low: high >> (count &- 64), high: 0)
        shifted.store(in: result)
    }
#endif
