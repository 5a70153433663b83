; SPDX-License-Identifier: BSL-1.0
; Compiled from face_detection.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "face_detection.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ14face_detectionE4sums = internal unnamed_addr addrspace(3) global [17 x [43 x i32]] undef, align 4

define dso_local void @face_detection(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef readonly %2, i32* nocapture noundef writeonly %3, i32* nocapture noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #3
  %8 = shl i32 %7, 5
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %10 = add i32 %8, %9
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #3
  %12 = shl i32 %11, 5
  %13 = or i32 %12, 10
  %14 = icmp ult i32 %7, 17
  br i1 %14, label %15, label %31

15:                                               ; preds = %6
  %16 = icmp ult i32 %9, 43
  %17 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #3
  %18 = mul i32 %17, 6
  %19 = add i32 %18, -1
  %20 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %21 = shl i32 %20, 5
  %22 = add i32 %21, -1
  br label %23

23:                                               ; preds = %15, %38
  %24 = phi i32 [ %7, %15 ], [ %39, %38 ]
  br i1 %16, label %25, label %38

25:                                               ; preds = %23
  %26 = icmp eq i32 %24, 0
  %27 = add i32 %19, %24
  %28 = mul i32 %27, %13
  %29 = add i32 %22, %28
  %30 = zext i32 %24 to i64
  br label %41

31:                                               ; preds = %38, %6
  tail call void @llvm.nvvm.barrier0()
  %32 = icmp ult i32 %10, 17
  br i1 %32, label %33, label %67

33:                                               ; preds = %31
  %34 = zext i32 %10 to i64
  %35 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %34, i64 0
  %36 = addrspacecast i32 addrspace(3)* %35 to i32*
  %37 = load i32, i32* %36, align 4, !tbaa !5
  br label %57

38:                                               ; preds = %50, %23
  %39 = add nuw nsw i32 %24, 6
  %40 = icmp ult i32 %24, 11
  br i1 %40, label %23, label %31, !llvm.loop !9

41:                                               ; preds = %25, %50
  %42 = phi i32 [ %9, %25 ], [ %55, %50 ]
  %43 = icmp eq i32 %42, 0
  %44 = select i1 %26, i1 true, i1 %43
  br i1 %44, label %50, label %45

45:                                               ; preds = %41
  %46 = add i32 %29, %42
  %47 = zext i32 %46 to i64
  %48 = getelementptr inbounds i32, i32* %0, i64 %47
  %49 = load i32, i32* %48, align 4, !tbaa !5
  br label %50

50:                                               ; preds = %41, %45
  %51 = phi i32 [ %49, %45 ], [ 0, %41 ]
  %52 = zext i32 %42 to i64
  %53 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %30, i64 %52
  %54 = addrspacecast i32 addrspace(3)* %53 to i32*
  store i32 %51, i32* %54, align 4, !tbaa !5
  %55 = add nuw nsw i32 %42, 32
  %56 = icmp ult i32 %42, 11
  br i1 %56, label %41, label %38, !llvm.loop !12

57:                                               ; preds = %33, %57
  %58 = phi i32 [ %37, %33 ], [ %64, %57 ]
  %59 = phi i32 [ 1, %33 ], [ %65, %57 ]
  %60 = zext i32 %59 to i64
  %61 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %34, i64 %60
  %62 = addrspacecast i32 addrspace(3)* %61 to i32*
  %63 = load i32, i32* %62, align 4, !tbaa !5
  %64 = add i32 %63, %58
  store i32 %64, i32* %62, align 4, !tbaa !5
  %65 = add nuw nsw i32 %59, 1
  %66 = icmp eq i32 %65, 43
  br i1 %66, label %67, label %57, !llvm.loop !13

67:                                               ; preds = %57, %31
  tail call void @llvm.nvvm.barrier0()
  %68 = icmp ult i32 %10, 43
  br i1 %68, label %69, label %84

69:                                               ; preds = %67
  %70 = zext i32 %10 to i64
  %71 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 0, i64 %70
  %72 = addrspacecast i32 addrspace(3)* %71 to i32*
  %73 = load i32, i32* %72, align 4, !tbaa !5
  br label %74

74:                                               ; preds = %69, %74
  %75 = phi i32 [ %73, %69 ], [ %81, %74 ]
  %76 = phi i32 [ 1, %69 ], [ %82, %74 ]
  %77 = zext i32 %76 to i64
  %78 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %77, i64 %70
  %79 = addrspacecast i32 addrspace(3)* %78 to i32*
  %80 = load i32, i32* %79, align 4, !tbaa !5
  %81 = add i32 %80, %75
  store i32 %81, i32* %79, align 4, !tbaa !5
  %82 = add nuw nsw i32 %76, 1
  %83 = icmp eq i32 %82, 17
  br i1 %83, label %84, label %74, !llvm.loop !14

84:                                               ; preds = %74, %67
  tail call void @llvm.nvvm.barrier0()
  br label %85

85:                                               ; preds = %97, %84
  %86 = phi i32 [ 0, %84 ], [ %92, %97 ]
  %87 = icmp eq i32 %86, %5
  br i1 %87, label %177, label %88

88:                                               ; preds = %85
  %89 = zext i32 %86 to i64
  %90 = getelementptr inbounds i32, i32* %2, i64 %89
  %91 = load i32, i32* %90, align 4, !tbaa !5
  %92 = add i32 %86, 1
  %93 = zext i32 %92 to i64
  %94 = getelementptr inbounds i32, i32* %2, i64 %93
  %95 = load i32, i32* %94, align 4, !tbaa !5
  %96 = icmp ult i32 %91, %95
  br i1 %96, label %102, label %97

97:                                               ; preds = %102, %88
  %98 = phi i32 [ 0, %88 ], [ %174, %102 ]
  %99 = phi i32 [ 0, %88 ], [ %173, %102 ]
  %100 = shl i32 %99, 1
  %101 = icmp ugt i32 %100, %98
  br i1 %101, label %85, label %177

102:                                              ; preds = %88, %102
  %103 = phi i32 [ %173, %102 ], [ 0, %88 ]
  %104 = phi i32 [ %174, %102 ], [ 0, %88 ]
  %105 = phi i32 [ %175, %102 ], [ %91, %88 ]
  %106 = zext i32 %105 to i64
  %107 = getelementptr inbounds i32, i32* %1, i64 %106
  %108 = load i32, i32* %107, align 4, !tbaa !5
  %109 = and i32 %108, 3
  %110 = lshr i32 %108, 2
  %111 = and i32 %110, 3
  %112 = lshr i32 %108, 4
  %113 = and i32 %112, 3
  %114 = add nuw nsw i32 %113, 1
  %115 = lshr i32 %108, 6
  %116 = and i32 %115, 3
  %117 = add nuw nsw i32 %116, 1
  %118 = lshr i32 %108, 9
  %119 = and i32 %118, 7
  %120 = add nuw nsw i32 %119, 1
  %121 = add i32 %109, %9
  %122 = add i32 %111, %7
  %123 = add i32 %122, %117
  %124 = zext i32 %123 to i64
  %125 = add i32 %114, %121
  %126 = zext i32 %125 to i64
  %127 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %124, i64 %126
  %128 = addrspacecast i32 addrspace(3)* %127 to i32*
  %129 = load i32, i32* %128, align 4, !tbaa !5
  %130 = zext i32 %122 to i64
  %131 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %130, i64 %126
  %132 = addrspacecast i32 addrspace(3)* %131 to i32*
  %133 = load i32, i32* %132, align 4, !tbaa !5
  %134 = zext i32 %121 to i64
  %135 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %124, i64 %134
  %136 = addrspacecast i32 addrspace(3)* %135 to i32*
  %137 = load i32, i32* %136, align 4, !tbaa !5
  %138 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %130, i64 %134
  %139 = addrspacecast i32 addrspace(3)* %138 to i32*
  %140 = load i32, i32* %139, align 4, !tbaa !5
  %141 = add i32 %133, %137
  %142 = sub i32 %129, %141
  %143 = add i32 %142, %140
  %144 = and i32 %108, 256
  %145 = icmp eq i32 %144, 0
  %146 = select i1 %145, i32 %114, i32 0
  %147 = select i1 %145, i32 0, i32 %117
  %148 = add i32 %121, %146
  %149 = add i32 %122, %147
  %150 = add i32 %149, %117
  %151 = zext i32 %150 to i64
  %152 = add i32 %148, %114
  %153 = zext i32 %152 to i64
  %154 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %151, i64 %153
  %155 = addrspacecast i32 addrspace(3)* %154 to i32*
  %156 = load i32, i32* %155, align 4, !tbaa !5
  %157 = zext i32 %149 to i64
  %158 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %157, i64 %153
  %159 = addrspacecast i32 addrspace(3)* %158 to i32*
  %160 = load i32, i32* %159, align 4, !tbaa !5
  %161 = zext i32 %148 to i64
  %162 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %151, i64 %161
  %163 = addrspacecast i32 addrspace(3)* %162 to i32*
  %164 = load i32, i32* %163, align 4, !tbaa !5
  %165 = getelementptr inbounds [17 x [43 x i32]], [17 x [43 x i32]] addrspace(3)* @_ZZ14face_detectionE4sums, i64 0, i64 %157, i64 %161
  %166 = addrspacecast i32 addrspace(3)* %165 to i32*
  %167 = load i32, i32* %166, align 4, !tbaa !5
  %168 = add i32 %160, %164
  %169 = sub i32 %156, %168
  %170 = add i32 %169, %167
  %171 = icmp ugt i32 %143, %170
  %172 = select i1 %171, i32 %120, i32 0
  %173 = add i32 %172, %103
  %174 = add i32 %120, %104
  %175 = add nuw i32 %105, 1
  %176 = icmp eq i32 %175, %95
  br i1 %176, label %97, label %102, !llvm.loop !15

177:                                              ; preds = %97, %85
  %178 = phi i32 [ %86, %97 ], [ %5, %85 ]
  %179 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #3
  %180 = mul i32 %179, 6
  %181 = add i32 %180, %7
  %182 = mul i32 %181, %11
  %183 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %184 = add i32 %182, %183
  %185 = shl i32 %184, 5
  %186 = add i32 %185, %9
  %187 = zext i32 %186 to i64
  %188 = getelementptr inbounds i32, i32* %3, i64 %187
  store i32 %178, i32* %188, align 4, !tbaa !5
  %189 = icmp eq i32 %178, %5
  br i1 %189, label %190, label %192

190:                                              ; preds = %177
  %191 = atomicrmw add i32* %4, i32 1 monotonic, align 4
  br label %192

192:                                              ; preds = %190, %177
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32*, i32*, i32)* @face_detection, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
!13 = distinct !{!13, !10, !11}
!14 = distinct !{!14, !10, !11}
!15 = distinct !{!15, !10, !11}
