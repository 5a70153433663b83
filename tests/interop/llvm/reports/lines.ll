; SPDX-License-Identifier: BSL-1.0
; A branch with arms that are alike, in a function "pick" that was inlined; and one that is uniform. Both have debug
; locations.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @use(i32)

define ptx_kernel void @kernel(i32 %n) !dbg !5 {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = icmp ult i32 %n, 8
  br i1 %few, label %end, label %work, !dbg !8
work:
  %odd = icmp ult i32 %thread, 8
  br i1 %odd, label %left, label %right, !dbg !9
left:
  %a = mul i32 %thread, 3
  %b = udiv i32 %a, %n
  %c = xor i32 %b, 5
  br label %join
right:
  %d = mul i32 %thread, 7
  %e = udiv i32 %d, %n
  %f = xor i32 %e, 9
  br label %join
join:
  %g = phi i32 [ %c, %left ], [ %f, %right ]
  call void @use(i32 %g), !dbg !10
  br label %end
end:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "lines.cu", directory: "/")
!2 = !DIFile(filename: "include/pick.cuh", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "kernel", scope: !1, file: !1, line: 3, type: !4, scopeLine: 3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!6 = distinct !DISubprogram(name: "pick", scope: !2, file: !2, line: 7, type: !4, scopeLine: 7, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!7 = distinct !DILocation(line: 6, column: 7, scope: !5)
!8 = !DILocation(line: 4, column: 7, scope: !5)
!9 = !DILocation(line: 8, column: 3, scope: !6, inlinedAt: !7)
!10 = !DILocation(line: 6, column: 3, scope: !5)
