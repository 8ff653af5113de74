import Wire

// What a lane publishes: verdicts and dead letters as records.

extension Lane {
    func verdictRecord(
        _ judged: JudgedRecord, bytes: [UInt8], id: VerdictID, isRepeat: Bool,
        trace: RequestTrace?
    ) -> OutgoingRecord {
        let message = VerdictMessage.record(
            verdict: bytes, verdictID: id, keyID: judged.keyID,
            requestHeaders: judged.record.headers, trace: trace, isRedelivered: isRepeat,
            consumerGroup: settings.groupID)
        return OutgoingRecord(
            topic: settings.verdictTopic, key: message.key, value: message.value,
            headers: message.headers)
    }

    func deadLetterRecord(_ judged: JudgedRecord, _ cause: DeadLetter.Cause) -> OutgoingRecord {
        let record = judged.record
        let letter = DeadLetter(
            key: record.key, value: record.value, headers: record.headers,
            origin: DeadLetter.Origin(
                place: record.place, timestampMilliseconds: record.timestampMilliseconds,
                consumerGroup: settings.groupID),
            cause: cause, workerVersion: settings.identity.version,
            workerID: settings.identity.id)
        return OutgoingRecord(
            topic: settings.deadLetterTopic, key: letter.key, value: letter.value,
            headers: letter.headers)
    }
}
