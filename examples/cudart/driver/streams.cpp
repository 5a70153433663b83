// SPDX-License-Identifier: BSL-1.0
//
// Streams and events (CUDA Driver API, Stream Management, Event Management). Work is done when it is given to a stream,
// so that waiting only tells whether the device is in order.
#include "cudart/driver/driver.hpp"

using cudart::error;
using cudart::event_of;
using cudart::handle;
using cudart::in_context;
using cudart::initialised;
using cudart::process_device;
using cudart::stream_of;
using cudart::to_program;
namespace cuda = simtflow::cuda;

namespace {

// Takes a fact about a stream.
template <class Value, class Fact>
int fact_of(handle stream, Value* value, const Fact& fact) {
  return in_context([&] {
    cuda::stream_facts facts;
    if (value == nullptr) return error::invalid_value;
    const error e = process_device().stream(stream_of(stream), facts);
    if (e == error::success) *value = fact(facts);
    return e;
  });
}

}  // namespace

CUDART_CALL int cuStreamCreateWithPriority(handle* stream, unsigned flags, int priority) {
  return in_context([&] {
    cuda::stream_handle made{};
    if (stream == nullptr) return error::invalid_value;
    const error e = process_device().create_stream(flags, priority, made);
    if (e == error::success) *stream = to_program(made);
    return e;
  });
}
CUDART_CALL int cuStreamCreate(handle* stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }
CUDART_CALL int cuStreamDestroy_v2(handle stream) {
  return in_context([&] { return process_device().destroy_stream(stream_of(stream)); });
}
CUDART_ALSO(cuStreamDestroy, cuStreamDestroy_v2)
CUDART_CALL int cuStreamSynchronize(handle stream) {
  return in_context([&] { return process_device().synchronize(stream_of(stream)); });
}
CUDART_ALSO(cuStreamSynchronize_ptsz, cuStreamSynchronize)
CUDART_ALSO(cuStreamQuery, cuStreamSynchronize)
CUDART_ALSO(cuStreamQuery_ptsz, cuStreamSynchronize)
CUDART_CALL int cuStreamWaitEvent(handle stream, handle event, unsigned) {
  return in_context([&] { return process_device().wait(stream_of(stream), event_of(event)); });
}
CUDART_ALSO(cuStreamWaitEvent_ptsz, cuStreamWaitEvent)
CUDART_CALL int cuStreamAddCallback(handle stream, void (*function)(handle, int, void*), void* data, unsigned) {
  return in_context([&] { return cudart::call_back(stream, function, data); });
}
CUDART_ALSO(cuStreamAddCallback_ptsz, cuStreamAddCallback)

CUDART_CALL int cuStreamGetFlags(handle stream, unsigned* flags) {
  return fact_of(stream, flags, [](const cuda::stream_facts& f) { return f.flags; });
}
CUDART_ALSO(cuStreamGetFlags_ptsz, cuStreamGetFlags)
CUDART_CALL int cuStreamGetPriority(handle stream, int* priority) {
  return fact_of(stream, priority, [](const cuda::stream_facts& f) { return f.priority; });
}
CUDART_ALSO(cuStreamGetPriority_ptsz, cuStreamGetPriority)
CUDART_CALL int cuStreamGetId(handle stream, unsigned long long* id) {
  return fact_of(stream, id, [](const cuda::stream_facts& f) { return f.id; });
}
CUDART_ALSO(cuStreamGetId_ptsz, cuStreamGetId)
CUDART_CALL int cuStreamGetDevice(handle stream, int* device) {
  return fact_of(stream, device, [](const cuda::stream_facts&) { return 0; });
}
CUDART_ALSO(cuStreamGetDevice_ptsz, cuStreamGetDevice)
// All contexts share the streams.
CUDART_CALL int cuStreamGetCtx(handle stream, handle* current) {
  return fact_of(stream, current,
                 [](const cuda::stream_facts&) -> handle { return cudart::this_thread().contexts.back(); });
}
CUDART_ALSO(cuStreamGetCtx_ptsz, cuStreamGetCtx)
CUDART_CALL int cuStreamGetCtx_v2(handle stream, handle* current, handle* green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(stream, current);
}
CUDART_ALSO(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2)

// Attributes of streams are hints about caches and synchronisation.
CUDART_CALL int cuStreamSetAttribute(handle, int, const void*) {
  return in_context([] { return error::success; });
}
CUDART_ALSO(cuStreamSetAttribute_ptsz, cuStreamSetAttribute)
CUDART_CALL int cuStreamGetAttribute(handle, int, char* value) {
  return in_context([&] {
    if (value == nullptr) return error::invalid_value;
    for (int i = 0; i < 64; ++i) value[i] = 0;
    return error::success;
  });
}
CUDART_ALSO(cuStreamGetAttribute_ptsz, cuStreamGetAttribute)
CUDART_CALL int cuStreamCopyAttributes(handle, handle) {
  return in_context([] { return error::success; });
}
CUDART_ALSO(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes)

// No stream is ever being captured.
CUDART_CALL int cuStreamIsCapturing(handle, int* status) {
  return in_context([&] {
    if (status == nullptr) return error::invalid_value;
    *status = 0;
    return error::success;
  });
}
CUDART_ALSO(cuStreamIsCapturing_ptsz, cuStreamIsCapturing)
// All forms of the function have the status here; what follows stays as it is without a capture.
CUDART_ALSO(cuStreamGetCaptureInfo, cuStreamIsCapturing)
CUDART_ALSO(cuStreamGetCaptureInfo_ptsz, cuStreamIsCapturing)
CUDART_ALSO(cuStreamGetCaptureInfo_v2, cuStreamIsCapturing)
CUDART_ALSO(cuStreamGetCaptureInfo_v2_ptsz, cuStreamIsCapturing)
CUDART_ALSO(cuStreamGetCaptureInfo_v3, cuStreamIsCapturing)
CUDART_ALSO(cuStreamGetCaptureInfo_v3_ptsz, cuStreamIsCapturing)
CUDART_CALL int cuThreadExchangeStreamCaptureMode(int* mode) {
  return initialised([&] {
    thread_local int current = 0;
    if (mode == nullptr) return error::invalid_value;
    const int old = current;
    current = *mode;
    *mode = old;
    return error::success;
  });
}

CUDART_CALL int cuEventCreate(handle* event, unsigned flags) {
  return in_context([&] {
    cuda::event_handle made{};
    if (event == nullptr) return error::invalid_value;
    const error e = process_device().create_event(flags, made);
    if (e == error::success) *event = to_program(made);
    return e;
  });
}
CUDART_CALL int cuEventDestroy_v2(handle event) {
  return in_context([&] { return process_device().destroy_event(event_of(event)); });
}
CUDART_ALSO(cuEventDestroy, cuEventDestroy_v2)
CUDART_CALL int cuEventRecordWithFlags(handle event, handle stream, unsigned) {
  return in_context([&] { return process_device().record(event_of(event), stream_of(stream)); });
}
CUDART_ALSO(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags)
CUDART_CALL int cuEventRecord(handle event, handle stream) { return cuEventRecordWithFlags(event, stream, 0); }
CUDART_ALSO(cuEventRecord_ptsz, cuEventRecord)
CUDART_CALL int cuEventSynchronize(handle event) {
  return in_context([&] { return process_device().synchronize(event_of(event)); });
}
CUDART_ALSO(cuEventQuery, cuEventSynchronize)
CUDART_CALL int cuEventElapsedTime_v2(float* milliseconds, handle from, handle to) {
  return in_context([&] {
    if (milliseconds == nullptr) return error::invalid_value;
    return process_device().elapsed(event_of(from), event_of(to), *milliseconds);
  });
}
CUDART_ALSO(cuEventElapsedTime, cuEventElapsedTime_v2)
