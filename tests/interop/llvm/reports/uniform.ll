; SPDX-License-Identifier: BSL-1.0
; Two shared tails, one after the other. The branches of the first one are uniform: they look at a parameter of the
; kernel. Those of the second one look at the number of the thread.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @use(i32)

define ptx_kernel void @kernel(i32 %n) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = icmp ult i32 %n, 8
  br i1 %few, label %left, label %right
left:
  %one = icmp eq i32 %n, 1
  br i1 %one, label %tail, label %join
right:
  call void @use(i32 %n)
  br label %tail
tail:
  call void @use(i32 1)
  br label %join
join:
  %first = icmp ult i32 %thread, 8
  br i1 %first, label %left2, label %right2
left2:
  %zero = icmp eq i32 %thread, 0
  br i1 %zero, label %tail2, label %end
right2:
  call void @use(i32 %thread)
  br label %tail2
tail2:
  call void @use(i32 2)
  br label %end
end:
  ret void
}
