; SPDX-License-Identifier: BSL-1.0
; Compiled from figure1.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "figure1.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @figure1(i32* nocapture noundef readonly %0, i32* noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %5 = mul i32 %3, %4
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %7 = add i32 %5, %6
  %8 = zext i32 %7 to i64
  %9 = getelementptr inbounds i32, i32* %0, i64 %8
  %10 = load i32, i32* %9, align 4, !tbaa !5
  %11 = mul i32 %7, 6
  %12 = zext i32 %11 to i64
  %13 = getelementptr inbounds i32, i32* %1, i64 %12
  %14 = getelementptr inbounds i32, i32* %13, i64 1
  store volatile i32 1, i32* %14, align 4, !tbaa !5
  %15 = and i32 %10, 1
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %17, label %21

17:                                               ; preds = %2
  %18 = getelementptr inbounds i32, i32* %13, i64 2
  store volatile i32 1, i32* %18, align 4, !tbaa !5
  %19 = and i32 %10, 2
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %31, label %21

21:                                               ; preds = %17, %2
  %22 = getelementptr inbounds i32, i32* %13, i64 3
  store volatile i32 1, i32* %22, align 4, !tbaa !5
  %23 = and i32 %10, 4
  %24 = icmp eq i32 %23, 0
  br i1 %24, label %25, label %29

25:                                               ; preds = %21
  %26 = getelementptr inbounds i32, i32* %13, i64 4
  store volatile i32 1, i32* %26, align 4, !tbaa !5
  %27 = and i32 %10, 8
  %28 = icmp eq i32 %27, 0
  br i1 %28, label %31, label %29

29:                                               ; preds = %25, %21
  %30 = getelementptr inbounds i32, i32* %13, i64 5
  store volatile i32 1, i32* %30, align 4, !tbaa !5
  br label %31

31:                                               ; preds = %25, %17, %29
  store volatile i32 1, i32* %13, align 4, !tbaa !5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { mustprogress nofree norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*)* @figure1, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
