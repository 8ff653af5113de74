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
        array(TypeID.textArray, of: TypeID.text, values.map { $0.map { Array($0.utf8) } })
    }

    static func int4s(_ values: [Int32]) -> Parameter {
        array(TypeID.int4Array, of: TypeID.int4, values.map(\.bigEndianBytes))
    }

    /// Days since 1970-01-01, of which some may be NULL.
    static func days(_ values: [Day?]) -> Parameter {
        array(TypeID.int4Array, of: TypeID.int4, values.map { $0?.number.bigEndianBytes })
    }

    static func int8s(_ values: [Int64?]) -> Parameter {
        array(TypeID.int8Array, of: TypeID.int8, values.map { $0?.bigEndianBytes })
    }

    static func byteStrings(_ values: [[UInt8]]) -> Parameter {
        array(TypeID.byteaArray, of: TypeID.bytea, values)
    }

    static func optionalByteStrings(_ values: [[UInt8]?]) -> Parameter {
        array(TypeID.byteaArray, of: TypeID.bytea, values)
    }

    /// Sixteen bytes each.
    static func uuids(_ values: [[UInt8]]) -> Parameter {
        array(TypeID.uuidArray, of: TypeID.uuid, values)
    }

    /// Microseconds since 2000-01-01T00:00:00Z each, or NULL.
    static func optionalTimestamps(_ values: [Int64?]) -> Parameter {
        array(
            TypeID.timestamptzArray, of: TypeID.timestamptz, values.map { $0?.bigEndianBytes })
    }

    /// Microseconds since 2000-01-01T00:00:00Z each.
    static func timestamps(_ values: [Int64]) -> Parameter {
        array(TypeID.timestamptzArray, of: TypeID.timestamptz, values.map(\.bigEndianBytes))
    }

    /// A one-dimensional array.
    ///
    /// | bytes | field                                             |
    /// | ----: | ------------------------------------------------- |
    /// |     4 | dimensions: 1, or 0 of an empty array, then no more |
    /// |     4 | 1 if there are NULLs                              |
    /// |     4 | type of the elements                              |
    /// |     4 | number of elements                                |
    /// |     4 | first index: 1                                    |
    /// |   4+n | each element's length, -1 of a NULL, and its bytes |
    private static func array(
        _ type: UInt32, of element: UInt32, _ values: [[UInt8]?]
    ) -> Parameter {
        let hasNulls = values.contains { $0 == nil }
        var bytes = Int32(values.isEmpty ? 0 : 1).bigEndianBytes
        bytes += Int32(hasNulls ? 1 : 0).bigEndianBytes
        bytes += element.bigEndianBytes
        guard !values.isEmpty else { return Parameter(type: type, bytes: bytes) }
        bytes += Int32(values.count).bigEndianBytes
        bytes += Int32(1).bigEndianBytes
        for value in values {
            bytes += Int32(value?.count ?? -1).bigEndianBytes
            bytes += value ?? []
        }
        return Parameter(type: type, bytes: bytes)
    }
}

extension FixedWidthInteger {
    /// The bytes, most significant first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: self >> Self($0))
        }
    }

    /// The integer of exactly as many bytes as it has, most significant first; nil otherwise.
    init?(bigEndian bytes: [UInt8]) {
        guard bytes.count * 8 == Self.bitWidth else { return nil }
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
