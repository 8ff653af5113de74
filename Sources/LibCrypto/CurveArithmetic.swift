internal import CCrypto

// One owner for each libcrypto handle that ECDSA by hand needs. They live inside one function or
// one key. None of the calls below fails but for want of memory, and then nothing can go on.

/// An unsigned integer of any size.
struct BigNumber: ~Copyable {
    let pointer: OpaquePointer

    /// Zero.
    init() {
        pointer = owned(BN_new())
    }

    /// The integer of big-endian bytes.
    init(_ bytes: [UInt8]) {
        pointer = owned(BN_bin2bn(bytes, Int32(bytes.count), nil))
    }

    deinit {
        BN_clear_free(pointer)
    }

    /// Big-endian bytes with zeros in front; the number must fit.
    func bytes(count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let written = BN_bn2binpad(pointer, &bytes, Int32(count))
        precondition(written == Int32(count), "the number fits its bytes")
        return bytes
    }

    /// Whether the number is 0.
    var isZero: Bool {
        BN_is_zero(pointer) == 1
    }
}

/// Scratch space for ``BigNumber``s; of one thread at a time.
struct BigNumberContext: ~Copyable {
    let pointer: OpaquePointer

    init() {
        pointer = owned(BN_CTX_new())
    }

    deinit {
        BN_CTX_free(pointer)
    }
}

/// The group of points of a named curve; only read once it is made, so threads may share it.
struct CurveGroup: ~Copyable {
    let pointer: OpaquePointer

    init(_ curve: EllipticCurve) {
        pointer = owned(EC_GROUP_new_by_curve_name(curve.numericID))
    }

    deinit {
        EC_GROUP_free(pointer)
    }

    /// The number of points; lives as long as the group.
    var order: OpaquePointer {
        owned(EC_GROUP_get0_order(pointer))
    }
}

/// A point of a group.
struct CurvePoint: ~Copyable {
    let pointer: OpaquePointer

    /// The generator times a scalar.
    init(_ scalar: borrowing BigNumber, in group: borrowing CurveGroup) {
        let context = BigNumberContext()
        pointer = owned(EC_POINT_new(group.pointer))
        succeeded(
            EC_POINT_mul(group.pointer, pointer, scalar.pointer, nil, nil, context.pointer))
    }

    deinit {
        EC_POINT_clear_free(pointer)
    }

    /// The point in X9.62 form: 04 and both coordinates, or 02 or 03 and the first.
    func encoded(
        _ form: point_conversion_form_t, in group: borrowing CurveGroup, byteCount: Int
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let written = EC_POINT_point2oct(
            group.pointer, pointer, form, &bytes, byteCount, nil)
        precondition(written == byteCount, "a point has one size in each form")
        return bytes
    }
}

/// Takes what libcrypto made.
func owned(_ pointer: OpaquePointer?) -> OpaquePointer {
    guard let pointer else { preconditionFailure("libcrypto is out of memory") }
    return pointer
}

/// Checks a call that can fail only for want of memory.
func succeeded(_ status: Int32) {
    precondition(status == 1, "libcrypto is out of memory")
}
