#if arch(wasm32)
    // What an interpreter offers to programs without a C library: bytes in and out, and the end.

    @_extern(wasm, module: "wasi_snapshot_preview1", name: "fd_read")
    @_extern(c)
    private func fd_read(
        _ descriptor: Int32, _ vectors: UnsafeRawPointer, _ count: Int32,
        _ read: UnsafeMutableRawPointer
    ) -> Int32

    @_extern(wasm, module: "wasi_snapshot_preview1", name: "fd_write")
    @_extern(c)
    private func fd_write(
        _ descriptor: Int32, _ vectors: UnsafeRawPointer, _ count: Int32,
        _ written: UnsafeMutableRawPointer
    ) -> Int32

    @_extern(wasm, module: "wasi_snapshot_preview1", name: "proc_exit")
    @_extern(c)
    private func proc_exit(_ code: Int32)

    /// The bytes of one call.
    private struct Vector {
        let address: UInt32
        let count: UInt32
    }

    @_cdecl("_start")
    func start() {
        let isClean = EmbeddedCheck.run(readInput()) { write($0) }
        if !isClean { proc_exit(1) }
    }

    private func readInput() -> [UInt8] {
        var input: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var count: UInt32 = 0
            let result = piece.withUnsafeMutableBytes { bytes in
                var vector = Vector(
                    address: UInt32(UInt(bitPattern: bytes.baseAddress)),
                    count: UInt32(bytes.count))
                return fd_read(0, &vector, 1, &count)
            }
            guard result == 0, count > 0 else { return input }
            input.append(contentsOf: piece[..<Int(count)])
        }
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            var count: UInt32 = 0
            let result = bytes[sent...].withUnsafeBytes { bytes in
                var vector = Vector(
                    address: UInt32(UInt(bitPattern: bytes.baseAddress)),
                    count: UInt32(bytes.count))
                return fd_write(1, &vector, 1, &count)
            }
            if result != 0 { proc_exit(2) }
            sent += Int(count)
        }
    }
#endif
