/// A CBOR data item of the strict subset that ``CBORReader`` reads.
package enum CBORItem: Hashable, Sendable {
    /// Major type 0.
    case unsigned(UInt64)
    /// Major type 1: the integer -1 - n, of which n is held.
    case negative(UInt64)
    /// Major type 2.
    case bytes(ArraySlice<UInt8>)
    /// Major type 3: checked to be UTF-8.
    case text(ArraySlice<UInt8>)
    /// Major type 4.
    case array([CBORItem])
    /// Major type 5.
    case map(CBORMap)
    /// Simple values 20 and 21.
    case boolean(Bool)
    /// Simple value 22.
    case null
}
