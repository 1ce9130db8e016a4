/* Dining philosophers: the steps of fixtures/models/dining_philosophers.m, one by one. A philosopher's
   state is the place in the text; forks that are taken are bits. */

#ifndef N
#define N 5
#endif

#define left (1 << _pid)
#define right (1 << ((_pid + 1) % N))

int taken;

active [N] proctype philosopher() {
  do
  :: d_step { !(taken & left) -> taken = taken | left };
     d_step { !(taken & right) -> taken = taken | right };
     taken = taken & ~(left | right)
  od
}
