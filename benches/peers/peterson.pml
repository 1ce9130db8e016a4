/* Peterson's tournament for N processes: the steps of fixtures/models/peterson.m, one by one. Where a
   process is, is its place in the text; what it has `raised` is seen by the others, its `goal` is not. */

#ifndef N
#define N 3
#endif

#define lower(k) (k == _pid || raised[k] < goal)
#define all_2 (lower(0) && lower(1))
#define all_3 (all_2 && lower(2))
#define all_4 (all_3 && lower(3))
#define all_5 (all_4 && lower(4))
#define all_6 (all_5 && lower(5))
#define all_7 (all_6 && lower(6))
#define join(a, b) a ## b
#define all_up_to(n) join(all_, n)
#define may_climb (last[goal - 1] != _pid || all_up_to(N))

byte raised[N];
byte last[N - 1] = N;  /* who came last to a level: nobody yet */

active [N] proctype proc() {
  byte goal;
Start:
  goal = 1;
Raise:
  raised[_pid] = goal;
Yield:
  last[goal - 1] = _pid;
Wait:
  if
  :: d_step { goal + 1 < N && may_climb -> goal = goal + 1 }; goto Raise
  :: goal + 1 == N && may_climb
  fi;
Critical:
  d_step { raised[_pid] = 0; goal = 0 };
  goto Start
}

#ifdef LIVENESS
ltl access { [] (proc[0]@Raise -> <> proc[0]@Critical) }
#endif
