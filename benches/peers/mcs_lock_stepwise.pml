/* The queue lock of Mellor-Crummey and Scott: the steps of fixtures/models/mcs_lock_stepwise.m, one by
   one. Links are numbers of processes, and N for nobody. */

#ifndef N
#define N 3
#endif

byte behind[N] = N;
byte last = N;
bool waiting[N];

active [N] proctype proc() {
  byte ahead = N;
Outside:
  behind[_pid] = N;
Join:
  d_step { ahead = last; last = _pid };
Ask:
  if
  :: ahead == N -> goto Inside
  :: ahead != N
  fi;
Prepare:
  waiting[_pid] = true;
Announce:
  behind[ahead] = _pid;
Wait:
  do
  :: waiting[_pid]
  :: !waiting[_pid] -> break
  od;
Inside:
  if
  :: behind[_pid] == N
  :: behind[_pid] != N -> goto Pass
  fi;
Withdraw:
  if
  :: d_step { last == _pid -> last = N }; goto Outside
  :: last != _pid
  fi;
Await:
  do
  :: behind[_pid] == N
  :: behind[_pid] != N -> break
  od;
Pass:
  waiting[behind[_pid]] = false;
  goto Outside
}

#ifdef LIVENESS
ltl access { [] (proc[0]@Join -> <> proc[0]@Inside) }
#endif
