#include <cstdio>
#include <cassert>
struct shape { __device__ virtual int area(int k) const = 0; };
struct square : shape { int n; __device__ square(int n):n(n){} __device__ int area(int k) const override { return n*n+k; } };
struct circle : shape { int n; __device__ circle(int n):n(n){} __device__ __noinline__ int area(int k) const override { return 3*n*n-k; } };
__device__ __noinline__ int ack(int m,int n){ return m==0? n+1 : n==0 ? ack(m-1,1) : ack(m-1, ack(m,n-1)); }
struct big { int a[5]; double d; };
__device__ __noinline__ big grow(big b, int k){ for(int i=0;i<5;++i) b.a[i]+=k*i; b.d*=2; return b; }
extern "C" __global__ void k(const int* in, int* out, int n){
  int t=blockIdx.x*blockDim.x+threadIdx.x;
  if(t>=n) return;
  shape* s; square q(in[t]); circle c(in[t]);
  s = t%2? (shape*)&q : (shape*)&c;
  int v=s->area(t);
  v += ack(2,t%4);
  big b; for(int i=0;i<5;++i) b.a[i]=in[(t+i)%n]; b.d=1.5;
  b=grow(b,t);
  v += b.a[t%5] + (int)b.d;
  if (t%7==3) printf("thread %d of %s: %5.2f %lld %c\n", t, "grid", v*0.5, (long long)v<<33, 'x');
  assert(v != 123456);
  out[t]=v;
}
