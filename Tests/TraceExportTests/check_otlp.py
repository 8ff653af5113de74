"""Reads OTLP requests in JSON with OpenTelemetry's own protobuf messages.

    python3 check_otlp.py REQUESTS.jsonl

Each line is a request body. A member that the messages do not have, or a value of another type, ends
this with an error. Standard output gets one object a line: the spans as the messages have them.
"""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def with_base64_ids(value):
    """OTLP writes ids in hexadecimal where protobuf's mapping has base64."""
    if isinstance(value, list):
        return [with_base64_ids(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64encode(bytes.fromhex(member)).decode()
        if name in ("traceId", "spanId", "parentSpanId") else with_base64_ids(member)
        for name, member in value.items()
    }


with open(sys.argv[1]) as file:
    for line in file:
        request = json_format.ParseDict(with_base64_ids(json.loads(line)), ExportTraceServiceRequest())
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    assert len(span.trace_id) == 16 and len(span.span_id) == 8, span
                    assert len(span.parent_span_id) in (0, 8), span
                    assert all(len(link.trace_id) == 16 for link in span.links), span
                    assert span.end_time_unix_nano >= span.start_time_unix_nano > 0, span
                    print(json.dumps({
                        "name": span.name, "kind": span.kind, "flags": span.flags,
                        "parent": span.parent_span_id.hex(), "state": span.trace_state,
                        "dropped": span.dropped_links_count,
                        "attributes": {
                            attribute.key: getattr(
                                attribute.value, attribute.value.WhichOneof("value"))
                            for attribute in span.attributes
                        },
                        "links": [link.span_id.hex() for link in span.links],
                    }))
