; SPDX-License-Identifier: BSL-1.0
; Compiled from ray_queue.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "ray_queue.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@drawn = external dso_local addrspace(3) global [0 x i32], align 4

define dso_local void @ray_queue(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef readonly %2, i32* nocapture noundef writeonly %3, i32* nocapture noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %8 = lshr i32 %5, 5
  %9 = add nuw nsw i32 %8, 1
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #3
  %11 = mul i32 %9, %10
  %12 = zext i32 %11 to i64
  %13 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @drawn, i64 0, i64 %12
  %14 = icmp ugt i32 %7, %8
  br i1 %14, label %15, label %17

15:                                               ; preds = %17, %6
  tail call void @llvm.nvvm.barrier0()
  %16 = icmp eq i32 %7, 0
  br label %24

17:                                               ; preds = %6, %17
  %18 = phi i32 [ %22, %17 ], [ %7, %6 ]
  %19 = zext i32 %18 to i64
  %20 = getelementptr inbounds i32, i32 addrspace(3)* %13, i64 %19
  %21 = addrspacecast i32 addrspace(3)* %20 to i32*
  store volatile i32 268435456, i32* %21, align 4, !tbaa !5
  %22 = add nuw nsw i32 %18, 32
  %23 = icmp ugt i32 %22, %8
  br i1 %23, label %15, label %17, !llvm.loop !9

24:                                               ; preds = %100, %15
  %25 = phi i32 [ 0, %15 ], [ %103, %100 ]
  %26 = zext i32 %25 to i64
  br i1 %16, label %27, label %33

27:                                               ; preds = %24
  %28 = getelementptr inbounds i32, i32 addrspace(3)* %13, i64 %26
  %29 = addrspacecast i32 addrspace(3)* %28 to i32*
  %30 = atomicrmw add i32* %4, i32 32 monotonic, align 4
  %31 = icmp ult i32 %30, %5
  %32 = select i1 %31, i32 %30, i32 -1
  store volatile i32 %32, i32* %29, align 4, !tbaa !5
  br label %33

33:                                               ; preds = %24, %27
  %34 = getelementptr inbounds i32, i32 addrspace(3)* %13, i64 %26
  %35 = addrspacecast i32 addrspace(3)* %34 to i32*
  %36 = load volatile i32, i32* %35, align 4, !tbaa !5
  %37 = icmp eq i32 %36, -1
  br i1 %37, label %104, label %38

38:                                               ; preds = %33
  %39 = add i32 %36, %7
  %40 = zext i32 %39 to i64
  %41 = getelementptr inbounds i32, i32* %0, i64 %40
  %42 = load i32, i32* %41, align 4, !tbaa !5
  %43 = getelementptr inbounds i32, i32* %1, i64 %40
  %44 = load i32, i32* %43, align 4, !tbaa !5
  %45 = shl i32 %42, 2
  %46 = and i32 %45, 4092
  %47 = and i32 %44, 127
  %48 = add nuw nsw i32 %47, 32
  %49 = and i32 %44, 128
  %50 = icmp eq i32 %49, 0
  %51 = sub nuw nsw i32 -32, %47
  %52 = select i1 %50, i32 %51, i32 %48
  %53 = lshr i32 %42, 8
  %54 = and i32 %53, 4092
  %55 = lshr i32 %44, 8
  %56 = and i32 %55, 127
  %57 = add nuw nsw i32 %56, 32
  %58 = and i32 %44, 32768
  %59 = icmp eq i32 %58, 0
  %60 = sub nuw nsw i32 -32, %56
  %61 = select i1 %59, i32 %60, i32 %57
  %62 = lshr i32 %42, 18
  %63 = and i32 %62, 4092
  %64 = lshr i32 %44, 16
  %65 = and i32 %64, 127
  %66 = add nuw nsw i32 %65, 32
  %67 = and i32 %44, 8388608
  %68 = icmp eq i32 %67, 0
  %69 = sub nuw nsw i32 -32, %65
  %70 = select i1 %68, i32 %69, i32 %66
  br label %71

71:                                               ; preds = %86, %38
  %72 = phi i32 [ %79, %86 ], [ %63, %38 ]
  %73 = phi i32 [ %78, %86 ], [ %54, %38 ]
  %74 = phi i32 [ %77, %86 ], [ %46, %38 ]
  %75 = phi i32 [ %76, %86 ], [ 0, %38 ]
  %76 = add i32 %75, 1
  %77 = add i32 %74, %52
  %78 = add i32 %73, %61
  %79 = add i32 %72, %70
  %80 = or i32 %78, %79
  %81 = or i32 %80, %77
  %82 = icmp ugt i32 %81, 4095
  br i1 %82, label %83, label %86

83:                                               ; preds = %71
  %84 = shl i32 %76, 16
  %85 = or i32 %84, 65535
  br label %100

86:                                               ; preds = %71
  %87 = lshr i32 %78, 4
  %88 = and i32 %87, 268435440
  %89 = and i32 %79, -256
  %90 = lshr i32 %77, 8
  %91 = add nuw i32 %90, %89
  %92 = add i32 %91, %88
  %93 = zext i32 %92 to i64
  %94 = getelementptr inbounds i32, i32* %2, i64 %93
  %95 = load i32, i32* %94, align 4, !tbaa !5
  %96 = icmp eq i32 %95, 0
  br i1 %96, label %97, label %71, !llvm.loop !12

97:                                               ; preds = %86
  %98 = shl i32 %76, 16
  %99 = or i32 %92, %98
  br label %100

100:                                              ; preds = %83, %97
  %101 = phi i32 [ %85, %83 ], [ %99, %97 ]
  %102 = getelementptr inbounds i32, i32* %3, i64 %40
  store i32 %101, i32* %102, align 4, !tbaa !5
  %103 = add i32 %25, 1
  br label %24, !llvm.loop !13

104:                                              ; preds = %33
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32*, i32*, i32)* @ray_queue, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
!13 = distinct !{!13, !10, !11}
