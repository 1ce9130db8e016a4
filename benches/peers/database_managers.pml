/* Data base managers: the steps of fixtures/models/database_managers.m, one by one. */

#ifndef N
#define N 4
#endif

#define Unused 0
#define Sent 1
#define Received 2
#define Acknowledged 3

#define done(k) (k == _pid || message[k] == Acknowledged)
#define all_2 (done(0) && done(1))
#define all_3 (all_2 && done(2))
#define all_4 (all_3 && done(3))
#define all_5 (all_4 && done(4))
#define all_6 (all_5 && done(5))
#define all_7 (all_6 && done(6))
#define all_8 (all_7 && done(7))
#define all_9 (all_8 && done(8))
#define all_10 (all_9 && done(9))
#define all_11 (all_10 && done(10))
#define all_12 (all_11 && done(11))
#define all_13 (all_12 && done(12))
#define join(a, b) a ## b
#define all_up_to(n) join(all_, n)

byte message[N];  /* by addressee */
bool exclusion = true;
hidden byte k;    /* counts within a step, and is nothing between them */

inline tell_everybody(what) {
  k = 0;
  do
  :: k < N -> message[k] = what; k = k + 1
  :: else -> break
  od;
  k = 0
}

active [N] proctype manager() {
Inactive:
  if
  :: d_step { exclusion -> exclusion = false; tell_everybody(Sent); message[_pid] = Unused }
  :: d_step { message[_pid] == Sent -> message[_pid] = Received }; goto Performing
  fi;
Waiting:
  d_step { all_up_to(N) -> tell_everybody(Unused); exclusion = true };
  goto Inactive;
Performing:
  message[_pid] = Acknowledged;
  goto Inactive
}

#ifdef LIVENESS
ltl done { [] (manager[0]@Waiting -> <> manager[0]@Inactive) }
#endif
