; SPDX-License-Identifier: BSL-1.0
; Compiled from barrier_exception.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "barrier_exception.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ17barrier_exceptionE4tile = internal unnamed_addr addrspace(3) global [64 x i32] undef, align 4

define dso_local void @barrier_exception(i32* nocapture noundef readonly %0, i32* noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %4 = zext i32 %3 to i64
  %5 = getelementptr inbounds i32, i32* %0, i64 %4
  %6 = load i32, i32* %5, align 4, !tbaa !5
  %7 = shl i32 %3, 1
  %8 = zext i32 %7 to i64
  %9 = getelementptr inbounds i32, i32* %1, i64 %8
  %10 = and i32 %6, 1
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %14, label %12

12:                                               ; preds = %2
  store volatile i32 1, i32* %9, align 4, !tbaa !5
  %13 = icmp ugt i32 %6, 1000
  br i1 %13, label %27, label %16

14:                                               ; preds = %2
  store volatile i32 2, i32* %9, align 4, !tbaa !5
  %15 = icmp ugt i32 %6, 2000
  br i1 %15, label %27, label %16

16:                                               ; preds = %14, %12
  %17 = getelementptr inbounds [64 x i32], [64 x i32] addrspace(3)* @_ZZ17barrier_exceptionE4tile, i64 0, i64 %4
  %18 = addrspacecast i32 addrspace(3)* %17 to i32*
  store i32 %6, i32* %18, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  %19 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %20 = xor i32 %3, -1
  %21 = add i32 %19, %20
  %22 = zext i32 %21 to i64
  %23 = getelementptr inbounds [64 x i32], [64 x i32] addrspace(3)* @_ZZ17barrier_exceptionE4tile, i64 0, i64 %22
  %24 = addrspacecast i32 addrspace(3)* %23 to i32*
  %25 = load i32, i32* %24, align 4, !tbaa !5
  %26 = getelementptr inbounds i32, i32* %9, i64 1
  store volatile i32 %25, i32* %26, align 4, !tbaa !5
  br label %27

27:                                               ; preds = %14, %12, %16
  %28 = load volatile i32, i32* %9, align 4, !tbaa !5
  %29 = add i32 %28, 4
  store volatile i32 %29, i32* %9, align 4, !tbaa !5
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*)* @barrier_exception, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
