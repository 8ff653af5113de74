extension Duration {
    /// Whole milliseconds; what is smaller is dropped, what is too large is clamped.
    package var wholeMilliseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000_000_000)
    }
}
