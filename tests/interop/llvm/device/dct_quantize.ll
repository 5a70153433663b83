; SPDX-License-Identifier: BSL-1.0
; Compiled from dct_quantize.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "dct_quantize.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @dct_quantize(i16* nocapture noundef %0, i16* nocapture noundef readonly %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2
  %7 = shl i32 %6, 3
  %8 = add i32 %7, %5
  %9 = mul i32 %8, %2
  %10 = zext i32 %9 to i64
  %11 = getelementptr inbounds i16, i16* %0, i64 %10
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %13 = shl i32 %12, 3
  %14 = zext i32 %13 to i64
  %15 = getelementptr inbounds i16, i16* %11, i64 %14
  %16 = zext i32 %4 to i64
  %17 = getelementptr inbounds i16, i16* %15, i64 %16
  %18 = shl i32 %5, 3
  %19 = add i32 %18, %4
  %20 = zext i32 %19 to i64
  %21 = getelementptr inbounds i16, i16* %1, i64 %20
  %22 = load i16, i16* %21, align 2, !tbaa !5
  %23 = sext i16 %22 to i32
  %24 = load i16, i16* %17, align 2, !tbaa !5
  %25 = sext i16 %24 to i32
  %26 = icmp slt i16 %24, 0
  br i1 %26, label %27, label %33

27:                                               ; preds = %3
  %28 = sdiv i16 %22, 2
  %29 = sext i16 %28 to i32
  %30 = sub nsw i32 %29, %25
  %31 = sdiv i32 %30, %23
  %32 = sub nsw i32 0, %31
  br label %38

33:                                               ; preds = %3
  %34 = sdiv i16 %22, 2
  %35 = sext i16 %34 to i32
  %36 = add nsw i32 %35, %25
  %37 = sdiv i32 %36, %23
  br label %38

38:                                               ; preds = %33, %27
  %39 = phi i32 [ %32, %27 ], [ %37, %33 ]
  %40 = trunc i32 %39 to i16
  %41 = mul i16 %22, %40
  store i16 %41, i16* %17, align 2, !tbaa !5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }
attributes #3 = { convergent nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i16*, i16*, i32)* @dct_quantize, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"short", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
