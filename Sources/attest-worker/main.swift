print("attest-worker")
