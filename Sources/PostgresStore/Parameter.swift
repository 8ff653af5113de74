internal import Worker

/// A statement's parameter in PostgreSQL's binary format, with its type.
///
/// All integers are big-endian. Source: the `recv` functions of each type; for arrays
/// `array_recv`.
struct Parameter {
    /// The object id of the type.
    let type: UInt32
    /// The value; nil is NULL.
    let bytes: [UInt8]?

    /// Object ids of the types in use, fixed in `pg_type.dat` for all versions.
    enum TypeID {
        static let bytea: UInt32 = 17
        static let int8: UInt32 = 20
        static let int4: UInt32 = 23
        static let text: UInt32 = 25
        static let int4Array: UInt32 = 1007
        static let textArray: UInt32 = 1009
        static let byteaArray: UInt32 = 1001
        static let int8Array: UInt32 = 1016
        static let timestamptz: UInt32 = 1184
        static let timestamptzArray: UInt32 = 1185
        static let tid: UInt32 = 27
        static let uuid: UInt32 = 2950
        static let uuidArray: UInt32 = 2951
    }

    static func text(_ value: String) -> Parameter {
        Parameter(type: TypeID.text, bytes: Array(value.utf8))
    }

    static func optionalText(_ value: String?) -> Parameter {
        Parameter(type: TypeID.text, bytes: value.map { Array($0.utf8) })
    }

    /// Microseconds since 2000-01-01T00:00:00Z.
    static func optionalTimestamp(_ value: Int64?) -> Parameter {
        Parameter(type: TypeID.timestamptz, bytes: value?.bigEndianBytes)
    }

    static func optionalInt8(_ value: Int64?) -> Parameter {
        Parameter(type: TypeID.int8, bytes: value?.bigEndianBytes)
    }

    /// A row's place: the first one of a block.
    static func place(block: UInt32) -> Parameter {
        Parameter(type: TypeID.tid, bytes: block.bigEndianBytes + UInt16(0).bigEndianBytes)
    }

    static func int4(_ value: Int32) -> Parameter {
        Parameter(type: TypeID.int4, bytes: value.bigEndianBytes)
    }

    static func int8(_ value: Int64) -> Parameter {
        Parameter(type: TypeID.int8, bytes: value.bigEndianBytes)
    }

    static func bytes(_ value: [UInt8]) -> Parameter {
        Parameter(type: TypeID.bytea, bytes: value)
    }

    static func optionalBytes(_ value: [UInt8]?) -> Parameter {
        Parameter(type: TypeID.bytea, bytes: value)
    }

    /// Sixteen bytes.
    static func uuid(_ value: [UInt8]) -> Parameter {
        Parameter(type: TypeID.uuid, bytes: value)
    }

    static func texts(_ values: [String?]) -> Parameter {
        array(TypeID.textArray, of: TypeID.text, values) { text, array in
            array.append(text?.utf8)
        }
    }

    static func int4s(_ values: [Int32]) -> Parameter {
        array(TypeID.int4Array, of: TypeID.int4, values) { $1.append($0) }
    }

    /// Days since 1970-01-01, of which some may be NULL.
    static func days(_ values: [Day?]) -> Parameter {
        array(TypeID.int4Array, of: TypeID.int4, values) { $1.append($0?.number) }
    }

    static func int8s(_ values: [Int64?]) -> Parameter {
        array(TypeID.int8Array, of: TypeID.int8, values) { $1.append($0) }
    }

    static func byteStrings(_ values: [[UInt8]]) -> Parameter {
        array(TypeID.byteaArray, of: TypeID.bytea, values) { $1.append($0) }
    }

    static func optionalByteStrings(_ values: [[UInt8]?]) -> Parameter {
        array(TypeID.byteaArray, of: TypeID.bytea, values) { $1.append($0) }
    }

    /// Sixteen bytes each.
    static func uuids(_ values: [[UInt8]]) -> Parameter {
        array(TypeID.uuidArray, of: TypeID.uuid, values) { $1.append($0) }
    }

    /// Microseconds since 2000-01-01T00:00:00Z each, or NULL.
    static func optionalTimestamps(_ values: [Int64?]) -> Parameter {
        array(TypeID.timestamptzArray, of: TypeID.timestamptz, values) { $1.append($0) }
    }

    /// Microseconds since 2000-01-01T00:00:00Z each.
    static func timestamps(_ values: [Int64]) -> Parameter {
        array(TypeID.timestamptzArray, of: TypeID.timestamptz, values) { $1.append($0) }
    }

    private static func array<Value>(
        _ type: UInt32, of element: UInt32, _ values: [Value],
        _ append: (Value, inout ArrayBytes) -> Void
    ) -> Parameter {
        var array = ArrayBytes(of: element, capacity: 20 + 36 * values.count)
        for value in values { append(value, &array) }
        return Parameter(type: type, bytes: array.close())
    }
}

/// A one-dimensional array while it is written, all of it in one buffer.
///
/// | bytes | field                                               |
/// | ----: | --------------------------------------------------- |
/// |     4 | dimensions: 1, or 0 of an empty array, then no more |
/// |     4 | 1 if there are NULLs                                |
/// |     4 | type of the elements                                |
/// |     4 | number of elements                                  |
/// |     4 | first index: 1                                      |
/// |   4+n | each element's length, -1 of a NULL, and its bytes  |
private struct ArrayBytes {
    private var bytes: [UInt8] = []
    private var count: Int32 = 0
    private var hasNulls: Int32 = 0
    private let element: UInt32

    /// An empty array, with room for so many bytes before it grows.
    init(of element: UInt32, capacity: Int) {
        self.element = element
        bytes.reserveCapacity(capacity)
        for _ in 0..<5 { bytes.append(bigEndian: Int32(0)) }
    }

    /// Appends an element; nil is NULL.
    mutating func append(_ value: (some Collection<UInt8>)?) {
        count += 1
        guard let value else { return appendNull() }
        bytes.append(bigEndian: Int32(value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends an element; nil is NULL.
    mutating func append<Integer: FixedWidthInteger>(_ value: Integer?) {
        count += 1
        guard let value else { return appendNull() }
        bytes.append(bigEndian: Int32(Integer.bitWidth / 8))
        bytes.append(bigEndian: value)
    }

    private mutating func appendNull() {
        hasNulls = 1
        bytes.append(bigEndian: Int32(-1))
    }

    /// The array's bytes, with its head.
    consuming func close() -> [UInt8] {
        var head: [UInt8] = []
        head.append(bigEndian: Int32(count == 0 ? 0 : 1))
        head.append(bigEndian: hasNulls)
        head.append(bigEndian: element)
        guard count > 0 else { return head }
        head.append(bigEndian: count)
        head.append(bigEndian: Int32(1))
        bytes.replaceSubrange(head.indices, with: head)
        return bytes
    }
}

extension [UInt8] {
    /// Appends an integer's bytes, most significant first.
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        // Bytes of a local integer, copied before it goes.
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}

extension FixedWidthInteger {
    /// The bytes, most significant first.
    var bigEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: self)
        return bytes
    }

    /// The integer of exactly as many bytes as it has, most significant first; nil otherwise.
    init?(bigEndian bytes: some Collection<UInt8>) {
        guard bytes.count * 8 == Self.bitWidth else { return nil }
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
