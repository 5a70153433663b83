; SPDX-License-Identifier: BSL-1.0
; Compiled from warp_reduction.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "warp_reduction.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ14warp_reductionE8of_warps = internal unnamed_addr addrspace(3) global [32 x i32] undef, align 4

define dso_local void @warp_reduction(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32* nocapture noundef writeonly %2, i32* nocapture noundef writeonly %3, i32* nocapture noundef writeonly %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #5
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #5
  %9 = mul i32 %7, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #5
  %11 = add i32 %9, %10
  %12 = and i32 %10, 31
  %13 = lshr i32 %10, 5
  %14 = add i32 %8, 31
  %15 = lshr i32 %14, 5
  %16 = and i32 %10, -32
  %17 = sub i32 %8, %16
  %18 = icmp ult i32 %17, 32
  %19 = select i1 %18, i32 %17, i32 32
  %20 = icmp ugt i32 %17, 31
  %21 = shl nsw i32 -1, %19
  %22 = xor i32 %21, -1
  %23 = select i1 %20, i32 -1, i32 %22
  %24 = icmp ult i32 %11, %5
  br i1 %24, label %25, label %29

25:                                               ; preds = %6
  %26 = zext i32 %11 to i64
  %27 = getelementptr inbounds i32, i32* %0, i64 %26
  %28 = load i32, i32* %27, align 4, !tbaa !5
  br label %29

29:                                               ; preds = %6, %25
  %30 = phi i32 [ %28, %25 ], [ 0, %6 ]
  %31 = icmp ugt i32 %30, 1
  br i1 %31, label %44, label %32

32:                                               ; preds = %44, %29
  %33 = phi i32 [ 0, %29 ], [ %47, %44 ]
  %34 = and i32 %33, 1
  %35 = icmp eq i32 %34, 0
  %36 = icmp ne i32 %34, 0
  %37 = tail call i32 @llvm.nvvm.vote.ballot.sync(i32 %23, i1 %36) #5
  %38 = and i32 %33, 3
  %39 = tail call i32 @llvm.nvvm.match.any.sync.i32(i32 %23, i32 %38) #5
  %40 = zext i32 %11 to i64
  %41 = getelementptr inbounds i32, i32* %3, i64 %40
  store i32 %39, i32* %41, align 4, !tbaa !5
  br i1 %35, label %74, label %42

42:                                               ; preds = %32
  %43 = icmp eq i32 %37, 0
  br i1 %43, label %55, label %60

44:                                               ; preds = %29, %44
  %45 = phi i32 [ %47, %44 ], [ 0, %29 ]
  %46 = phi i32 [ %53, %44 ], [ %30, %29 ]
  %47 = add i32 %45, 1
  %48 = and i32 %46, 1
  %49 = icmp eq i32 %48, 0
  %50 = mul i32 %46, 3
  %51 = add i32 %50, 1
  %52 = lshr i32 %46, 1
  %53 = select i1 %49, i32 %52, i32 %51
  %54 = icmp ugt i32 %53, 1
  br i1 %54, label %44, label %32, !llvm.loop !9

55:                                               ; preds = %60, %42
  %56 = phi i32 [ 0, %42 ], [ %65, %60 ]
  %57 = tail call i32 @llvm.cttz.i32(i32 %37, i1 true) #5, !range !11
  %58 = select i1 %43, i32 -1, i32 %57
  %59 = icmp eq i32 %12, %58
  br i1 %59, label %69, label %74

60:                                               ; preds = %42, %60
  %61 = phi i32 [ %67, %60 ], [ %37, %42 ]
  %62 = phi i32 [ %65, %60 ], [ 0, %42 ]
  %63 = tail call i32 @llvm.cttz.i32(i32 %61, i1 true) #5, !range !11
  %64 = tail call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %37, i32 %33, i32 %63, i32 31) #5
  %65 = add i32 %64, %62
  %66 = add i32 %61, -1
  %67 = and i32 %66, %61
  %68 = icmp eq i32 %67, 0
  br i1 %68, label %55, label %60, !llvm.loop !12

69:                                               ; preds = %55
  %70 = mul i32 %15, %7
  %71 = add i32 %70, %13
  %72 = zext i32 %71 to i64
  %73 = getelementptr inbounds i32, i32* %4, i64 %72
  store i32 %56, i32* %73, align 4, !tbaa !5
  br label %74

74:                                               ; preds = %55, %69, %32
  tail call void @llvm.nvvm.bar.warp.sync(i32 %23) #5
  %75 = icmp eq i32 %12, 0
  br i1 %75, label %76, label %81

76:                                               ; preds = %74
  %77 = mul i32 %15, %7
  %78 = add i32 %77, %13
  %79 = zext i32 %78 to i64
  %80 = getelementptr inbounds i32, i32* %2, i64 %79
  store i32 %37, i32* %80, align 4, !tbaa !5
  br label %81

81:                                               ; preds = %76, %74
  br label %82

82:                                               ; preds = %81, %82
  %83 = phi i32 [ %93, %82 ], [ %33, %81 ]
  %84 = phi i32 [ %94, %82 ], [ 16, %81 ]
  %85 = tail call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %23, i32 %83, i32 %84, i32 31) #5
  %86 = add nuw nsw i32 %84, %12
  %87 = icmp ult i32 %86, 32
  %88 = shl nuw i32 1, %86
  %89 = and i32 %88, %23
  %90 = icmp eq i32 %89, 0
  %91 = select i1 %90, i32 0, i32 %85
  %92 = select i1 %87, i32 %91, i32 0
  %93 = add i32 %92, %83
  %94 = lshr i32 %84, 1
  %95 = icmp ult i32 %84, 2
  br i1 %95, label %96, label %82, !llvm.loop !13

96:                                               ; preds = %82
  br i1 %75, label %97, label %101

97:                                               ; preds = %96
  %98 = zext i32 %13 to i64
  %99 = getelementptr inbounds [32 x i32], [32 x i32] addrspace(3)* @_ZZ14warp_reductionE8of_warps, i64 0, i64 %98
  %100 = addrspacecast i32 addrspace(3)* %99 to i32*
  store i32 %93, i32* %100, align 4, !tbaa !5
  br label %101

101:                                              ; preds = %97, %96
  tail call void @llvm.nvvm.barrier0()
  %102 = icmp ult i32 %10, 32
  br i1 %102, label %103, label %130

103:                                              ; preds = %101
  %104 = icmp ult i32 %12, %15
  br i1 %104, label %105, label %110

105:                                              ; preds = %103
  %106 = zext i32 %12 to i64
  %107 = getelementptr inbounds [32 x i32], [32 x i32] addrspace(3)* @_ZZ14warp_reductionE8of_warps, i64 0, i64 %106
  %108 = addrspacecast i32 addrspace(3)* %107 to i32*
  %109 = load i32, i32* %108, align 4, !tbaa !5
  br label %110

110:                                              ; preds = %103, %105
  %111 = phi i32 [ 0, %103 ], [ %109, %105 ]
  br label %112

112:                                              ; preds = %110, %112
  %113 = phi i32 [ %123, %112 ], [ %111, %110 ]
  %114 = phi i32 [ %124, %112 ], [ 16, %110 ]
  %115 = tail call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %23, i32 %113, i32 %114, i32 31) #5
  %116 = add nuw nsw i32 %114, %12
  %117 = icmp ult i32 %116, 32
  %118 = shl nuw i32 1, %116
  %119 = and i32 %118, %23
  %120 = icmp eq i32 %119, 0
  %121 = select i1 %120, i32 0, i32 %115
  %122 = select i1 %117, i32 %121, i32 0
  %123 = add i32 %122, %113
  %124 = lshr i32 %114, 1
  %125 = icmp ult i32 %114, 2
  br i1 %125, label %126, label %112, !llvm.loop !13

126:                                              ; preds = %112
  br i1 %75, label %127, label %130

127:                                              ; preds = %126
  %128 = zext i32 %7 to i64
  %129 = getelementptr inbounds i32, i32* %1, i64 %128
  store i32 %123, i32* %129, align 4, !tbaa !5
  br label %130

130:                                              ; preds = %126, %127, %101
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #3

declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32) #3

declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) #3

declare i32 @llvm.cttz.i32(i32, i1 immarg) #4

declare void @llvm.nvvm.bar.warp.sync(i32) #1

declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32) #3

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { convergent inaccessiblememonly nounwind }
attributes #4 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #5 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32*, i32*, i32)* @warp_reduction, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{i32 0, i32 33}
!12 = distinct !{!12, !10}
!13 = distinct !{!13, !10, !14}
!14 = !{!"llvm.loop.unroll.count", i32 1}
