import AppAttest
import Testing
import Wire

@Suite struct ErasedVerdictTests {
    @Test(arguments: VerdictSamples.all.filter { $0.keyID != nil })
    func `what stays of a verdict is what names the request`(verdict: Verdict) throws {
        var expected = Verdict(
            verdictID: verdict.verdictID, outcome: .rejected(.worker(.keyErased)),
            source: verdict.source)
        expected.requestID = verdict.requestID
        expected.kind = verdict.kind
        expected.keyID = verdict.keyID
        let erased = try #require(ErasedVerdict(of: verdict.encode()))
        #expect(erased.bytes == expected.encode())
        #expect(erased.keyID == verdict.keyID)
    }

    @Test func `erasing again changes nothing`() throws {
        let once = try #require(ErasedVerdict(of: VerdictSamples.fullRegistration.encode()))
        #expect(ErasedVerdict(of: once.bytes) == once)
    }

    @Test(arguments: ["", "{}", "[]", "no verdict", #"{"keyId":"AAAA","verdictId":"x"}"#])
    func `what is no verdict of a key stays as it is`(text: String) {
        #expect(ErasedVerdict(of: Array(text.utf8)) == nil)
        #expect(ErasedVerdict(of: VerdictSamples.bare.encode()) == nil)
    }

    @Test func `a key id is read in both alphabets and in no other spelling`() {
        let keyID = Sample.keyID
        #expect(KeyID(text: keyID.text) == keyID)
        let url = String(keyID.text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
        #expect(KeyID(text: url) == keyID)
        #expect(KeyID(text: String(url.dropLast())) == keyID)
        for wrong in ["", "AAAA", keyID.text + " ", String(keyID.text.dropFirst(4))] {
            #expect(KeyID(text: wrong) == nil)
        }
    }
}
