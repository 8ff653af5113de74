/// What is wrong with bytes that should be one item of the strict CBOR subset.
public enum CBORFault: Error, Hashable, Sendable {
    /// The object has more bytes than its kind may have.
    case tooLarge(byteCount: Int, byteCountMax: Int)
    /// The bytes end inside an item.
    case truncated
    /// An item of indefinite length, or the break that ends one.
    case indefiniteLength
    /// A length or integer that is not in its shortest form.
    case notShortest
    /// A reserved additional information, 28 to 30.
    case reserved
    /// A tag.
    case tag
    /// A float, or a simple value other than false, true and null.
    case floatOrSimpleValue
    /// Text that is not UTF-8.
    case invalidUTF8
    /// A map key that is neither text nor an integer.
    case keyType
    /// A map with the same key twice.
    case duplicateKey
    /// Nesting of more than eight levels.
    case tooDeep
    /// More than 256 items, keys and values counted alike.
    case tooManyItems
    /// Bytes after the item.
    case trailingBytes(count: Int)
}
