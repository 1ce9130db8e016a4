/* A ticket lock: the steps of fixtures/models/ticket_lock.m, one by one. */

#ifndef N
#define N 4
#endif

byte to_draw, called;

active [N] proctype proc() {
  byte ticket = N;  /* N: none */
  do
  :: d_step { ticket = to_draw; to_draw = (to_draw + 1) % N };
Waiting:
     ticket == called;
Inside:
     d_step { ticket = N; called = (called + 1) % N }
  od
}

#ifdef LIVENESS
ltl access { [] (proc[0]@Waiting -> <> proc[0]@Inside) }
#endif
