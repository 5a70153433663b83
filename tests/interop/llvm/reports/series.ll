; Each thread takes one of two series; the nearer one has a term that some leave out. Then some meet at a barrier.
declare float @llvm.sqrt.f32(float)
declare void @barrier() convergent

define float @series(i1 %far, i1 %short, i1 %some, float %x, float %y) {
entry:
  br i1 %far, label %out, label %in
out:
  %a = fmul float %x, %x
  %b = fadd float %a, 1.0
  %c = fdiv float %y, %b
  %d = fsub float %c, %x
  br i1 %short, label %out.end, label %out.term
out.term:
  %e = fmul float %d, %b
  %f = fdiv float %e, %x
  br label %out.end
out.end:
  %g = phi float [ %d, %out ], [ %f, %out.term ]
  br label %join
in:
  %h = fmul float %y, %y
  %i = fadd float %h, 2.0
  %j = call float @llvm.sqrt.f32(float %i)
  %k = fdiv float %j, %i
  br i1 %short, label %in.end, label %in.term
in.term:
  %l = fmul float %k, %i
  %m = fdiv float %l, %y
  br label %in.end
in.end:
  %n = phi float [ %k, %in ], [ %m, %in.term ]
  %o = fadd float %n, 1.0
  br label %join
join:
  %r = phi float [ %g, %out.end ], [ %o, %in.end ]
  br i1 %some, label %meet, label %pass
meet:
  call void @barrier()
  br label %end
pass:
  %s = fdiv float %r, %y
  br label %end
end:
  %t = phi float [ %r, %meet ], [ %s, %pass ]
  ret float %t
}
