/// How large a message and its parts may be.
///
/// The limits of single texts stand with their types: ``RequestID/bytesMax``,
/// ``Request/textBytesMax``.
package struct MessageLimits: Hashable, Sendable {
    /// The most bytes of a record's value.
    ///
    /// The default, 256 KiB, holds an object and client data of the largest size as base64, once
    /// more as base64 inside a structured CloudEvent's `data_base64`. Real requests have 1 to 12
    /// KiB. What is larger is not read at all and becomes a dead letter.
    package var valueBytesMax = 256 * 1024

    /// The most bytes of an attestation or assertion object.
    ///
    /// The default is 64 KiB; the largest object seen has 6 KiB.
    package var objectBytesMax = 64 * 1024

    /// The most bytes of client data: of a challenge or payload too.
    ///
    /// The default is 64 KiB. Apps sign request bodies with it, so it is far above a challenge.
    package var clientDataBytesMax = 64 * 1024

    /// How deep objects and arrays may nest in a message; the message itself is level 1.
    ///
    /// The default is 32. A bare request needs 1, a structured CloudEvent 2; the rest is for fields
    /// that are none of ours.
    package var depthMax = 32

    /// The default limits.
    package init() {}
}
