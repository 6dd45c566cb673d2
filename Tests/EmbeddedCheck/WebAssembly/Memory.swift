#if arch(wasm32)
    /// Memory for a module without a C library: blocks of powers of two, a list of free ones for
    /// each. The linker is told to give the module more than that, with the stack and all data
    /// below `start`.
    private enum Heap {
        static let start: UInt = 64 << 20
        static let end: UInt = 1 << 30
        /// The lists' heads stand at the start of the heap.
        static let heads: UInt = 32 * 4

        nonisolated(unsafe) static var top: UInt = 0

        static func word(_ address: UInt) -> UnsafeMutablePointer<UInt> {
            UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
        }

        /// In front of what is handed out stand the block's address and its list.
        static func allocate(_ size: UInt, alignment: UInt) -> UInt? {
            if top == 0 {
                top = start &+ heads
                for list in 0..<32 as Range<UInt> { word(start &+ list &* 4).pointee = 0 }
            }
            let alignment = max(alignment, 16)
            let needed = size &+ 16 &+ alignment
            let list = UInt(UInt.bitWidth &- (needed &- 1).leadingZeroBitCount)
            let head = word(start &+ list &* 4)
            var block = head.pointee
            if block != 0 {
                head.pointee = word(block).pointee
            } else {
                guard needed <= end &- top, 1 << list <= end &- top else { return nil }
                block = top
                top &+= 1 << list
            }
            let place = (block &+ 16 &+ alignment &- 1) & ~(alignment &- 1)
            word(place &- 8).pointee = block
            word(place &- 4).pointee = list
            return place
        }

        static func free(_ place: UInt) {
            let block = word(place &- 8).pointee
            let head = word(start &+ word(place &- 4).pointee &* 4)
            word(block).pointee = head.pointee
            head.pointee = block
        }
    }

    @_cdecl("posix_memalign")
    func posixMemoryAlign(
        _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ alignment: UInt, _ size: UInt
    ) -> Int32 {
        guard let found = Heap.allocate(size, alignment: alignment) else { return 12 }
        place.pointee = UnsafeMutableRawPointer(bitPattern: found)
        return 0
    }

    @_cdecl("free")
    func releaseMemory(_ place: UnsafeMutableRawPointer?) {
        if let place { Heap.free(UInt(bitPattern: place)) }
    }

    @_cdecl("memcmp")
    func compareMemory(
        _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int
    ) -> Int32 {
        for index in 0..<count where left[index] != right[index] {
            return Int32(left[index]) - Int32(right[index])
        }
        return 0
    }

    /// The seed of `Hasher`; nothing may depend on it.
    @_cdecl("arc4random_buf")
    func fillWithChance(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for index in 0..<count { bytes[index] = 7 }
    }

    /// What a function finds again behind its own part of the stack when it returns.
    @_silgen_name("__stack_chk_guard")
    nonisolated(unsafe) public var stackGuard: UInt = 0x5EED_C0DE

    @_cdecl("__stack_chk_fail")
    func stackIsDamaged() { fatalError() }
#endif
