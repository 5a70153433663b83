// SPDX-License-Identifier: BSL-1.0
//
// Streams and events (CUDA Runtime API, Stream Management, Event Management). Work is done when it is given to a
// stream, so that waiting only tells whether the device is in order.
#include "cudart/core/handles.hpp"

using cudart::error;
using cudart::event_of;
using cudart::handle;
using cudart::returned;
using cudart::stream_of;
using cudart::the_device;
using cudart::to_program;
namespace cuda = simtflow::cuda;

CUDART_CALL int cudaStreamCreateWithPriority(handle* stream, unsigned flags, int priority) {
  if (stream == nullptr) return returned(error::invalid_value);
  cuda::stream_handle made{};
  const error e = the_device().create_stream(flags, priority, made);
  if (e == error::success) *stream = to_program(made);
  return returned(e);
}
CUDART_CALL int cudaStreamCreateWithFlags(handle* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
CUDART_CALL int cudaStreamCreate(handle* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
CUDART_CALL int cudaStreamDestroy(handle stream) { return returned(the_device().destroy_stream(stream_of(stream))); }

CUDART_CALL int cudaStreamSynchronize(handle stream) { return returned(the_device().synchronize(stream_of(stream))); }
CUDART_ALSO(cudaStreamSynchronize_ptsz, cudaStreamSynchronize)
CUDART_CALL int cudaStreamQuery(handle stream) { return returned(the_device().synchronize(stream_of(stream))); }
CUDART_ALSO(cudaStreamQuery_ptsz, cudaStreamQuery)
CUDART_CALL int cudaStreamWaitEvent(handle stream, handle event, unsigned) {
  return returned(the_device().wait(stream_of(stream), event_of(event)));
}
CUDART_ALSO(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent)

CUDART_CALL int cudaStreamGetFlags(handle stream, unsigned* flags) {
  cuda::stream_facts facts;
  if (flags == nullptr) return returned(error::invalid_value);
  if (const error e = the_device().stream(stream_of(stream), facts); e != error::success) return returned(e);
  *flags = facts.flags;
  return 0;
}
CUDART_ALSO(cudaStreamGetFlags_ptsz, cudaStreamGetFlags)
CUDART_CALL int cudaStreamGetPriority(handle stream, int* priority) {
  cuda::stream_facts facts;
  if (priority == nullptr) return returned(error::invalid_value);
  if (const error e = the_device().stream(stream_of(stream), facts); e != error::success) return returned(e);
  *priority = facts.priority;
  return 0;
}
CUDART_ALSO(cudaStreamGetPriority_ptsz, cudaStreamGetPriority)
CUDART_CALL int cudaStreamGetId(handle stream, unsigned long long* id) {
  cuda::stream_facts facts;
  if (id == nullptr) return returned(error::invalid_value);
  if (const error e = the_device().stream(stream_of(stream), facts); e != error::success) return returned(e);
  *id = facts.id;
  return 0;
}
CUDART_ALSO(cudaStreamGetId_ptsz, cudaStreamGetId)
CUDART_CALL int cudaStreamGetDevice(handle stream, int* device) {
  cuda::stream_facts facts;
  if (device == nullptr) return returned(error::invalid_value);
  if (const error e = the_device().stream(stream_of(stream), facts); e != error::success) return returned(e);
  *device = 0;
  return 0;
}
CUDART_ALSO(cudaStreamGetDevice_ptsz, cudaStreamGetDevice)

// Attributes of streams are hints about caches and synchronisation.
CUDART_CALL int cudaStreamSetAttribute(handle, int, const void*) { return 0; }
CUDART_ALSO(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute)
CUDART_CALL int cudaStreamGetAttribute(handle, int, char* value) {
  if (value == nullptr) return returned(error::invalid_value);
  for (int i = 0; i < 64; ++i) value[i] = 0;
  return 0;
}
CUDART_ALSO(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute)
CUDART_CALL int cudaStreamCopyAttributes(handle, handle) { return 0; }
CUDART_ALSO(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes)

// No stream is ever being captured.
CUDART_CALL int cudaStreamIsCapturing(handle, int* status) {
  if (status == nullptr) return returned(error::invalid_value);
  *status = 0;
  return 0;
}
CUDART_ALSO(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing)
// All versions of the function have the status here; what follows stays as it is without a capture.
CUDART_ALSO(cudaStreamGetCaptureInfo, cudaStreamIsCapturing)
CUDART_ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamIsCapturing)
CUDART_ALSO(cudaStreamGetCaptureInfo_v2, cudaStreamIsCapturing)
CUDART_ALSO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamIsCapturing)
CUDART_ALSO(cudaStreamGetCaptureInfo_v3, cudaStreamIsCapturing)
CUDART_ALSO(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamIsCapturing)
CUDART_CALL int cudaThreadExchangeStreamCaptureMode(int* mode) {
  thread_local int current = 0;
  if (mode == nullptr) return returned(error::invalid_value);
  const int old = current;
  current = *mode;
  *mode = old;
  return 0;
}

CUDART_CALL int cudaEventCreateWithFlags(handle* event, unsigned flags) {
  if (event == nullptr) return returned(error::invalid_value);
  cuda::event_handle made{};
  const error e = the_device().create_event(flags, made);
  if (e == error::success) *event = to_program(made);
  return returned(e);
}
CUDART_CALL int cudaEventCreate(handle* event) { return cudaEventCreateWithFlags(event, 0); }
CUDART_CALL int cudaEventDestroy(handle event) { return returned(the_device().destroy_event(event_of(event))); }
CUDART_CALL int cudaEventRecordWithFlags(handle event, handle stream, unsigned) {
  return returned(the_device().record(event_of(event), stream_of(stream)));
}
CUDART_ALSO(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags)
CUDART_CALL int cudaEventRecord(handle event, handle stream) { return cudaEventRecordWithFlags(event, stream, 0); }
CUDART_ALSO(cudaEventRecord_ptsz, cudaEventRecord)
CUDART_CALL int cudaEventSynchronize(handle event) { return returned(the_device().synchronize(event_of(event))); }
CUDART_CALL int cudaEventQuery(handle event) { return returned(the_device().synchronize(event_of(event))); }
CUDART_CALL int cudaEventElapsedTime(float* milliseconds, handle from, handle to) {
  if (milliseconds == nullptr) return returned(error::invalid_value);
  return returned(the_device().elapsed(event_of(from), event_of(to), *milliseconds));
}
CUDART_ALSO(cudaEventElapsedTime_v2, cudaEventElapsedTime)
