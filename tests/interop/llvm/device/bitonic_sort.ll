; SPDX-License-Identifier: BSL-1.0
; Compiled from bitonic_sort.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "bitonic_sort.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = external dso_local local_unnamed_addr addrspace(3) global [0 x i32], align 4

define dso_local void @bitonic_sort(i32* nocapture noundef %0) local_unnamed_addr #0 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %5 = mul i32 %3, %4
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds i32, i32* %0, i64 %6
  %8 = zext i32 %2 to i64
  %9 = getelementptr inbounds i32, i32* %7, i64 %8
  %10 = load i32, i32* %9, align 4, !tbaa !5
  %11 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @tile, i64 0, i64 %8
  %12 = addrspacecast i32 addrspace(3)* %11 to i32*
  store i32 %10, i32* %12, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  %13 = icmp ult i32 %4, 2
  br i1 %13, label %20, label %14

14:                                               ; preds = %1, %22
  %15 = phi i32 [ %23, %22 ], [ 2, %1 ]
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %22, label %17

17:                                               ; preds = %14
  %18 = and i32 %15, %2
  %19 = icmp eq i32 %18, 0
  br label %25

20:                                               ; preds = %22, %1
  %21 = load i32, i32* %12, align 4, !tbaa !5
  store i32 %21, i32* %9, align 4, !tbaa !5
  ret void

22:                                               ; preds = %39, %14
  %23 = shl i32 %15, 1
  %24 = icmp ugt i32 %23, %4
  br i1 %24, label %20, label %14, !llvm.loop !9

25:                                               ; preds = %17, %39
  %26 = phi i32 [ %15, %17 ], [ %27, %39 ]
  %27 = lshr i32 %26, 1
  %28 = xor i32 %27, %2
  %29 = icmp ugt i32 %28, %2
  br i1 %29, label %30, label %39

30:                                               ; preds = %25
  %31 = load i32, i32* %12, align 4, !tbaa !5
  %32 = zext i32 %28 to i64
  %33 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @tile, i64 0, i64 %32
  %34 = addrspacecast i32 addrspace(3)* %33 to i32*
  %35 = load i32, i32* %34, align 4, !tbaa !5
  %36 = icmp ule i32 %31, %35
  %37 = xor i1 %19, %36
  br i1 %37, label %38, label %39

38:                                               ; preds = %30
  store i32 %35, i32* %12, align 4, !tbaa !5
  store i32 %31, i32* %34, align 4, !tbaa !5
  br label %39

39:                                               ; preds = %30, %38, %25
  tail call void @llvm.nvvm.barrier0()
  %40 = icmp ult i32 %26, 4
  br i1 %40, label %22, label %25, !llvm.loop !11
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*)* @bitonic_sort, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.mustprogress"}
!11 = distinct !{!11, !10}
