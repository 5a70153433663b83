; SPDX-License-Identifier: BSL-1.0
; Compiled from bfs.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "bfs.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ3bfsE10last_level = internal unnamed_addr addrspace(3) global i32 undef, align 4

define dso_local void @bfs(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef %2, i32* nocapture noundef %3, i32* nocapture noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %8 = mul i32 %7, 97
  %9 = urem i32 %8, %5
  %10 = mul i32 %7, %5
  %11 = zext i32 %10 to i64
  %12 = getelementptr inbounds i32, i32* %2, i64 %11
  %13 = getelementptr inbounds i32, i32* %3, i64 %11
  %14 = getelementptr inbounds i32, i32* %4, i64 %11
  %15 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %17, label %18

17:                                               ; preds = %6
  store i32 0, i32* addrspacecast (i32 addrspace(3)* @_ZZ3bfsE10last_level to i32*), align 4, !tbaa !5
  br label %18

18:                                               ; preds = %17, %6
  %19 = icmp ult i32 %15, %5
  %20 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  br i1 %19, label %22, label %21

21:                                               ; preds = %22, %18
  tail call void @llvm.nvvm.barrier0()
  br label %34

22:                                               ; preds = %18, %22
  %23 = phi i32 [ %32, %22 ], [ %15, %18 ]
  %24 = icmp eq i32 %23, %9
  %25 = xor i1 %24, true
  %26 = sext i1 %25 to i32
  %27 = zext i32 %23 to i64
  %28 = getelementptr inbounds i32, i32* %12, i64 %27
  store i32 %26, i32* %28, align 4, !tbaa !5
  %29 = zext i1 %24 to i32
  %30 = getelementptr inbounds i32, i32* %13, i64 %27
  store i32 %29, i32* %30, align 4, !tbaa !5
  %31 = getelementptr inbounds i32, i32* %14, i64 %27
  store i32 0, i32* %31, align 4, !tbaa !5
  %32 = add i32 %23, %20
  %33 = icmp ult i32 %32, %5
  br i1 %33, label %22, label %21, !llvm.loop !9

34:                                               ; preds = %71, %21
  %35 = phi i32 [ 1, %21 ], [ %74, %71 ]
  br i1 %19, label %37, label %36

36:                                               ; preds = %68, %34
  tail call void @llvm.nvvm.barrier0()
  br i1 %19, label %75, label %71

37:                                               ; preds = %34, %68
  %38 = phi i32 [ %69, %68 ], [ %15, %34 ]
  %39 = zext i32 %38 to i64
  %40 = getelementptr inbounds i32, i32* %13, i64 %39
  %41 = load i32, i32* %40, align 4, !tbaa !5
  %42 = icmp eq i32 %41, 0
  br i1 %42, label %68, label %43

43:                                               ; preds = %37
  store i32 0, i32* %40, align 4, !tbaa !5
  %44 = getelementptr inbounds i32, i32* %0, i64 %39
  %45 = load i32, i32* %44, align 4, !tbaa !5
  %46 = add nuw i32 %38, 1
  %47 = zext i32 %46 to i64
  %48 = getelementptr inbounds i32, i32* %0, i64 %47
  %49 = load i32, i32* %48, align 4, !tbaa !5
  %50 = icmp ult i32 %45, %49
  br i1 %50, label %51, label %68

51:                                               ; preds = %43, %64
  %52 = phi i32 [ %65, %64 ], [ %49, %43 ]
  %53 = phi i32 [ %66, %64 ], [ %45, %43 ]
  %54 = zext i32 %53 to i64
  %55 = getelementptr inbounds i32, i32* %1, i64 %54
  %56 = load i32, i32* %55, align 4, !tbaa !5
  %57 = zext i32 %56 to i64
  %58 = getelementptr inbounds i32, i32* %12, i64 %57
  %59 = load i32, i32* %58, align 4, !tbaa !5
  %60 = icmp eq i32 %59, -1
  br i1 %60, label %61, label %64

61:                                               ; preds = %51
  %62 = getelementptr inbounds i32, i32* %14, i64 %57
  store i32 1, i32* %62, align 4, !tbaa !5
  %63 = load i32, i32* %48, align 4, !tbaa !5
  br label %64

64:                                               ; preds = %51, %61
  %65 = phi i32 [ %52, %51 ], [ %63, %61 ]
  %66 = add nuw i32 %53, 1
  %67 = icmp ult i32 %66, %65
  br i1 %67, label %51, label %68, !llvm.loop !11

68:                                               ; preds = %64, %43, %37
  %69 = add i32 %38, %20
  %70 = icmp ult i32 %69, %5
  br i1 %70, label %37, label %36, !llvm.loop !13

71:                                               ; preds = %84, %36
  tail call void @llvm.nvvm.barrier0()
  %72 = load i32, i32* addrspacecast (i32 addrspace(3)* @_ZZ3bfsE10last_level to i32*), align 4, !tbaa !5
  %73 = icmp eq i32 %72, %35
  %74 = add i32 %35, 1
  br i1 %73, label %34, label %87, !llvm.loop !14

75:                                               ; preds = %36, %84
  %76 = phi i32 [ %85, %84 ], [ %15, %36 ]
  %77 = zext i32 %76 to i64
  %78 = getelementptr inbounds i32, i32* %14, i64 %77
  %79 = load i32, i32* %78, align 4, !tbaa !5
  %80 = icmp eq i32 %79, 0
  br i1 %80, label %84, label %81

81:                                               ; preds = %75
  %82 = getelementptr inbounds i32, i32* %13, i64 %77
  %83 = getelementptr inbounds i32, i32* %12, i64 %77
  store i32 0, i32* %78, align 4, !tbaa !5
  store i32 %35, i32* %83, align 4, !tbaa !5
  store i32 1, i32* %82, align 4, !tbaa !5
  store i32 %35, i32* addrspacecast (i32 addrspace(3)* @_ZZ3bfsE10last_level to i32*), align 4, !tbaa !5
  br label %84

84:                                               ; preds = %75, %81
  %85 = add i32 %76, %20
  %86 = icmp ult i32 %85, %5
  br i1 %86, label %75, label %71, !llvm.loop !15

87:                                               ; preds = %71
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32*, i32*, i32)* @bfs, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.mustprogress"}
!11 = distinct !{!11, !10, !12}
!12 = !{!"llvm.loop.unroll.count", i32 1}
!13 = distinct !{!13, !10, !12}
!14 = distinct !{!14, !10, !12}
!15 = distinct !{!15, !10, !12}
