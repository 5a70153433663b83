; SPDX-License-Identifier: BSL-1.0
; Compiled from heart_wall.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "heart_wall.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ10heart_wallE5shape = internal unnamed_addr addrspace(3) global [64 x i32] undef, align 4
@_ZZ10heart_wallE4best = internal unnamed_addr addrspace(3) global [256 x i32] undef, align 4

define dso_local void @heart_wall(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef %2, i32* nocapture noundef writeonly %3, i32 noundef %4, i32 noundef %5, i32 noundef %6) local_unnamed_addr #0 {
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %10 = shl i32 %9, 1
  %11 = zext i32 %10 to i64
  %12 = getelementptr inbounds i32, i32* %1, i64 %11
  %13 = load i32, i32* %12, align 4, !tbaa !5
  %14 = or i32 %10, 1
  %15 = zext i32 %14 to i64
  %16 = getelementptr inbounds i32, i32* %1, i64 %15
  %17 = load i32, i32* %16, align 4, !tbaa !5
  %18 = icmp ult i32 %8, 64
  br i1 %18, label %19, label %22

19:                                               ; preds = %7
  %20 = shl i32 %9, 6
  %21 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  br label %34

22:                                               ; preds = %34, %7
  tail call void @llvm.nvvm.barrier0()
  %23 = icmp eq i32 %4, 0
  br i1 %23, label %45, label %24

24:                                               ; preds = %22
  %25 = mul nsw i32 %6, %5
  %26 = icmp ult i32 %8, 81
  %27 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %28 = zext i32 %8 to i64
  %29 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ10heart_wallE4best, i64 0, i64 %28
  %30 = addrspacecast i32 addrspace(3)* %29 to i32*
  %31 = icmp ult i32 %27, 2
  %32 = icmp eq i32 %8, 0
  %33 = mul i32 %9, %4
  br label %49

34:                                               ; preds = %19, %34
  %35 = phi i32 [ %8, %19 ], [ %43, %34 ]
  %36 = add nuw i32 %35, %20
  %37 = zext i32 %36 to i64
  %38 = getelementptr inbounds i32, i32* %2, i64 %37
  %39 = load i32, i32* %38, align 4, !tbaa !5
  %40 = zext i32 %35 to i64
  %41 = getelementptr inbounds [64 x i32], [64 x i32] addrspace(3)* @_ZZ10heart_wallE5shape, i64 0, i64 %40
  %42 = addrspacecast i32 addrspace(3)* %41 to i32*
  store i32 %39, i32* %42, align 4, !tbaa !5
  %43 = add i32 %35, %21
  %44 = icmp ult i32 %43, 64
  br i1 %44, label %34, label %22, !llvm.loop !9

45:                                               ; preds = %189, %22
  br i1 %18, label %46, label %192

46:                                               ; preds = %45
  %47 = shl i32 %9, 6
  %48 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  br label %193

49:                                               ; preds = %24, %189
  %50 = phi i32 [ %13, %24 ], [ %182, %189 ]
  %51 = phi i32 [ %17, %24 ], [ %181, %189 ]
  %52 = phi i32 [ 0, %24 ], [ %190, %189 ]
  %53 = mul i32 %25, %52
  %54 = zext i32 %53 to i64
  %55 = getelementptr inbounds i32, i32* %0, i64 %54
  br i1 %26, label %58, label %56

56:                                               ; preds = %124, %49
  %57 = phi i32 [ -1, %49 ], [ %125, %124 ]
  store i32 %57, i32* %30, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  br i1 %31, label %128, label %131

58:                                               ; preds = %49, %124
  %59 = phi i32 [ %125, %124 ], [ -1, %49 ]
  %60 = phi i32 [ %126, %124 ], [ %8, %49 ]
  %61 = trunc i32 %60 to i8
  %62 = freeze i8 %61
  %63 = udiv i8 %62, 9
  %64 = zext i8 %63 to i32
  %65 = add nsw i32 %50, %64
  %66 = add nsw i32 %65, -4
  %67 = mul i8 %63, 9
  %68 = sub i8 %62, %67
  %69 = zext i8 %68 to i32
  %70 = add nsw i32 %51, %69
  %71 = add nsw i32 %70, -4
  %72 = icmp slt i32 %65, 4
  %73 = icmp slt i32 %70, 4
  %74 = select i1 %72, i1 true, i1 %73
  %75 = add nsw i32 %65, 4
  %76 = icmp sgt i32 %75, %5
  %77 = select i1 %74, i1 true, i1 %76
  %78 = add nsw i32 %70, 4
  %79 = icmp sgt i32 %78, %6
  %80 = select i1 %77, i1 true, i1 %79
  br i1 %80, label %124, label %84

81:                                               ; preds = %117
  %82 = add nuw nsw i32 %85, 1
  %83 = icmp eq i32 %82, 8
  br i1 %83, label %120, label %84, !llvm.loop !11

84:                                               ; preds = %58, %81
  %85 = phi i32 [ %82, %81 ], [ 0, %58 ]
  %86 = phi i32 [ %113, %81 ], [ 0, %58 ]
  %87 = add nsw i32 %66, %85
  %88 = mul nsw i32 %87, %6
  %89 = add nsw i32 %71, %88
  %90 = shl nsw i32 %85, 3
  br label %95

91:                                               ; preds = %95
  %92 = add nuw nsw i32 %97, 1
  %93 = icmp ult i32 %97, 7
  %94 = icmp eq i32 %92, 8
  br i1 %94, label %117, label %95, !llvm.loop !13

95:                                               ; preds = %84, %91
  %96 = phi i1 [ true, %84 ], [ %93, %91 ]
  %97 = phi i32 [ 0, %84 ], [ %92, %91 ]
  %98 = phi i32 [ %86, %84 ], [ %113, %91 ]
  %99 = add nsw i32 %89, %97
  %100 = sext i32 %99 to i64
  %101 = getelementptr inbounds i32, i32* %55, i64 %100
  %102 = load i32, i32* %101, align 4, !tbaa !5
  %103 = add nuw nsw i32 %97, %90
  %104 = zext i32 %103 to i64
  %105 = getelementptr inbounds [64 x i32], [64 x i32] addrspace(3)* @_ZZ10heart_wallE5shape, i64 0, i64 %104
  %106 = addrspacecast i32 addrspace(3)* %105 to i32*
  %107 = load i32, i32* %106, align 4, !tbaa !5
  %108 = icmp ugt i32 %102, %107
  %109 = select i1 %108, i32 %102, i32 %107
  %110 = icmp ult i32 %102, %107
  %111 = select i1 %110, i32 %102, i32 %107
  %112 = sub i32 %109, %111
  %113 = add i32 %112, %98
  %114 = shl i32 %113, 8
  %115 = or i32 %114, %60
  %116 = icmp ult i32 %115, %59
  br i1 %116, label %91, label %117

117:                                              ; preds = %91, %95
  %118 = phi i1 [ %93, %91 ], [ %96, %95 ]
  %119 = phi i32 [ 14, %91 ], [ 17, %95 ]
  br i1 %118, label %120, label %81

120:                                              ; preds = %81, %117
  %121 = phi i32 [ %119, %117 ], [ 11, %81 ]
  %122 = icmp eq i32 %121, 11
  %123 = select i1 %122, i32 %115, i32 %59
  br label %124

124:                                              ; preds = %120, %58
  %125 = phi i32 [ %59, %58 ], [ %123, %120 ]
  %126 = add i32 %60, %27
  %127 = icmp ult i32 %126, 81
  br i1 %127, label %58, label %56, !llvm.loop !14

128:                                              ; preds = %144, %56
  %129 = load i32, i32* getelementptr inbounds ([256 x i32], [256 x i32]* addrspacecast ([256 x i32] addrspace(3)* @_ZZ10heart_wallE4best to [256 x i32]*), i64 0, i64 0), align 4, !tbaa !5
  %130 = icmp eq i32 %129, -1
  br i1 %130, label %180, label %147

131:                                              ; preds = %56, %144
  %132 = phi i32 [ %145, %144 ], [ %57, %56 ]
  %133 = phi i32 [ %134, %144 ], [ %27, %56 ]
  %134 = lshr i32 %133, 1
  %135 = icmp ult i32 %8, %134
  br i1 %135, label %136, label %144

136:                                              ; preds = %131
  %137 = add i32 %134, %8
  %138 = zext i32 %137 to i64
  %139 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ10heart_wallE4best, i64 0, i64 %138
  %140 = addrspacecast i32 addrspace(3)* %139 to i32*
  %141 = load i32, i32* %140, align 4, !tbaa !5
  %142 = icmp ult i32 %132, %141
  %143 = select i1 %142, i32 %132, i32 %141
  store i32 %143, i32* %30, align 4, !tbaa !5
  br label %144

144:                                              ; preds = %136, %131
  %145 = phi i32 [ %143, %136 ], [ %132, %131 ]
  tail call void @llvm.nvvm.barrier0()
  %146 = icmp ult i32 %133, 4
  br i1 %146, label %128, label %131, !llvm.loop !15

147:                                              ; preds = %128
  %148 = trunc i32 %129 to i8
  %149 = freeze i8 %148
  %150 = udiv i8 %149, 9
  %151 = zext i8 %150 to i32
  %152 = add i32 %50, -4
  %153 = add i32 %152, %151
  %154 = mul i8 %150, 9
  %155 = sub i8 %149, %154
  %156 = zext i8 %155 to i32
  %157 = add i32 %51, -4
  %158 = add i32 %157, %156
  br i1 %18, label %159, label %180

159:                                              ; preds = %147, %159
  %160 = phi i32 [ %178, %159 ], [ %8, %147 ]
  %161 = lshr i32 %160, 3
  %162 = add nsw i32 %161, %153
  %163 = mul nsw i32 %162, %6
  %164 = and i32 %160, 7
  %165 = add i32 %164, %158
  %166 = add i32 %165, %163
  %167 = zext i32 %160 to i64
  %168 = getelementptr inbounds [64 x i32], [64 x i32] addrspace(3)* @_ZZ10heart_wallE5shape, i64 0, i64 %167
  %169 = addrspacecast i32 addrspace(3)* %168 to i32*
  %170 = load i32, i32* %169, align 4, !tbaa !5
  %171 = mul i32 %170, 3
  %172 = sext i32 %166 to i64
  %173 = getelementptr inbounds i32, i32* %55, i64 %172
  %174 = load i32, i32* %173, align 4, !tbaa !5
  %175 = add i32 %174, 2
  %176 = add i32 %175, %171
  %177 = lshr i32 %176, 2
  store i32 %177, i32* %169, align 4, !tbaa !5
  %178 = add i32 %160, %27
  %179 = icmp ult i32 %178, 64
  br i1 %179, label %159, label %180, !llvm.loop !16

180:                                              ; preds = %159, %147, %128
  %181 = phi i32 [ %51, %128 ], [ %158, %147 ], [ %158, %159 ]
  %182 = phi i32 [ %50, %128 ], [ %153, %147 ], [ %153, %159 ]
  br i1 %32, label %183, label %189

183:                                              ; preds = %180
  %184 = add i32 %52, %33
  %185 = zext i32 %184 to i64
  %186 = getelementptr inbounds i32, i32* %3, i64 %185
  %187 = mul nsw i32 %182, %6
  %188 = add nsw i32 %187, %181
  store i32 %188, i32* %186, align 4, !tbaa !5
  br label %189

189:                                              ; preds = %183, %180
  tail call void @llvm.nvvm.barrier0()
  %190 = add nuw i32 %52, 1
  %191 = icmp eq i32 %190, %4
  br i1 %191, label %45, label %49, !llvm.loop !17

192:                                              ; preds = %193, %45
  ret void

193:                                              ; preds = %46, %193
  %194 = phi i32 [ %8, %46 ], [ %202, %193 ]
  %195 = zext i32 %194 to i64
  %196 = getelementptr inbounds [64 x i32], [64 x i32] addrspace(3)* @_ZZ10heart_wallE5shape, i64 0, i64 %195
  %197 = addrspacecast i32 addrspace(3)* %196 to i32*
  %198 = load i32, i32* %197, align 4, !tbaa !5
  %199 = add nuw i32 %194, %47
  %200 = zext i32 %199 to i64
  %201 = getelementptr inbounds i32, i32* %2, i64 %200
  store i32 %198, i32* %201, align 4, !tbaa !5
  %202 = add i32 %194, %48
  %203 = icmp ult i32 %202, 64
  br i1 %203, label %193, label %192, !llvm.loop !18
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

!0 = !{void (i32*, i32*, i32*, i32*, i32, i32, i32)* @heart_wall, !"kernel", i32 1}
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
!16 = distinct !{!16, !10}
!17 = distinct !{!17, !10, !12}
!18 = distinct !{!18, !10}
