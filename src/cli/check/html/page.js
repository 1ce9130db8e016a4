'use strict';
// Shows runs step by step. Whatever comes from the model becomes a text node or an attribute, never markup.
//
// A run is a sequence of rows: row 0 is its first state, row k the state behind step k. If it has a loop, it goes on
// without end: `time` counts the steps that were taken, and the row of a time behind the last step is one of the loop.
(() => {
  const runs = JSON.parse(document.getElementById('data').textContent);

  /** An element with attributes and children; strings become text. */
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  const button = (label, title, action) => {
    const element = make('button', { type: 'button', title, 'aria-label': title }, label);
    element.addEventListener('click', action);
    return element;
  };

  /** A list of many rows of one height, of which only those in sight are elements. */
  class List {
    constructor(height, row, attributes) {
      this.height = height;
      this.row = row;
      this.count = 0;
      this.inner = make('div', { class: 'rows' });
      this.element = make('div', { class: 'list', tabindex: '0', ...attributes }, this.inner);
      this.element.addEventListener('scroll', () => this.draw());
      new ResizeObserver(() => this.draw()).observe(this.element);
    }

    /** Is no higher than so many rows. */
    fit(count) {
      this.element.style.height = `min(22rem, ${Math.max(6, count + 1) * this.height}px)`;
    }

    resize(count) {
      this.count = count;
      this.inner.style.height = `${count * this.height}px`;
      this.draw();
    }

    draw() {
      const spare = 4;
      const first = Math.max(0, Math.floor(this.element.scrollTop / this.height) - spare);
      const seen = Math.ceil(this.element.clientHeight / this.height) + 2 * spare;
      const rows = [];
      for (let k = first; k < Math.min(this.count, first + seen); k++) {
        const row = this.row(k);
        row.style.top = `${k * this.height}px`;
        rows.push(row);
      }
      this.inner.replaceChildren(...rows);
    }

    /** Scrolls as little as possible until the row is in sight. */
    reveal(k) {
      const top = k * this.height;
      const { scrollTop, clientHeight } = this.element;
      if (top < scrollTop) this.element.scrollTop = top;
      else if (top + this.height > scrollTop + clientHeight) {
        this.element.scrollTop = top + this.height - clientHeight;
      }
      this.draw();
    }
  }

  /** The values of places over the rows of a run. */
  class History {
    constructor(run) {
      // For each place the rows where it gets a value, ascending, and these values.
      this.rows = run.places.map(() => [0]);
      this.values = run.start.map((value) => [value]);
      run.steps.forEach(([, , changes], k) => {
        for (const [place, value] of changes) {
          this.rows[place].push(k + 1);
          this.values[place].push(value);
        }
      });
    }

    value(place, row) {
      const rows = this.rows[place];
      let [low, high] = [0, rows.length];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (rows[middle] <= row) low = middle;
        else high = middle;
      }
      return this.values[place][low];
    }

    changes(place) {
      return this.rows[place].length > 1;
    }
  }

  const ROW = 26;
  const LANES = 260;

  class Explorer {
    constructor(section, run) {
      this.section = section;
      this.run = run;
      this.history = new History(run);
      this.last = run.steps.length;
      this.hasLoop = run.stem < run.steps.length;
      this.time = 0;
      this.atPlace = null;
      this.filter = [];
      this.scope = 'all';
      this.build(section.querySelector('.explorer'));
      this.go(0);
    }

    /** The row at a time. */
    rowAt(time) {
      const { stem } = this.run;
      if (time <= this.last || !this.hasLoop) return Math.min(time, this.last);
      return stem + 1 + (time - stem - 1) % (this.last - stem);
    }

    /** How often the loop has been gone round before a time. */
    roundsBefore(time) {
      const { stem } = this.run;
      return this.hasLoop && time > stem ? Math.floor((time - stem - 1) / (this.last - stem)) : 0;
    }

    /** Whether there is a step behind a time that is written down. */
    goesOn(time) {
      return time < this.last || (this.hasLoop && this.run.lap === null);
    }

    /** The step that follows a time: its number from 1, or null. */
    stepBehind(time) {
      return this.goesOn(time) ? this.rowAt(time + 1) : null;
    }

    action(step) {
      const [process, event] = this.run.steps[step - 1];
      if (event === null) return 'no process is enabled';
      return this.label(process, event);
    }

    /** A step; a net has no processes. */
    label(process, event) {
      const what = this.run.events[event];
      return process === null ? what : `${this.run.processes[process]}: ${what}`;
    }

    build(element) {
      const { run } = this;
      this.status = make('output', { class: 'status', 'aria-live': 'polite' });
      this.slider = make('input', {
        type: 'range', min: '0', max: String(this.last), 'aria-label': 'step of the run',
      });
      this.slider.addEventListener('input', () => this.go(Number(this.slider.value)));
      const bar = make('div', { class: 'bar' },
        button('|◀', 'to the start (Home)', () => this.go(0)),
        button('◀', 'one step back (←)', () => this.move(-1)),
        button('▶', 'one step on (→)', () => this.move(1)),
        button('▶|', 'to the end (End)', () => this.go(this.last)),
        this.slider, this.status, make('span', { class: 'muted keys' }, 'keys: ← → Home End'));
      this.steps = new List(ROW, (k) => this.stepRow(k), {
        class: 'list steps', role: 'listbox', 'aria-label': 'steps',
      });
      this.variables = new List(ROW, (k) => this.variableRow(k), {
        class: 'list variables', 'aria-label': 'variables',
      });
      this.detail = make('p', { class: 'detail', hidden: '' });
      element.replaceChildren(bar, make('div', { class: 'panes' },
        make('div', { class: 'pane' }, ...this.laneHead(), this.steps.element),
        make('div', { class: 'pane' }, this.tablePane(), this.filterBar(), this.variables.element, this.detail)));
      if (run.enabled) element.append(this.enabledPane());
      if (run.component) element.append(this.componentPane());
      if (run.parts.length > 0) element.append(this.formulaPane());
      this.pictures(element);
      this.linkSteps();
      this.steps.fit(this.last + 1);
      this.variables.fit(run.places.length);
      this.steps.resize(this.last + 1);
      this.select();
      this.section.addEventListener('pointerdown', () => { active = this; });
      this.section.addEventListener('focusin', () => { active = this; });
    }

    // ------------------------------------------------------------------ steps

    laneWidth() {
      return Math.min(18, LANES / Math.max(1, this.run.processes.length));
    }

    /** The names of the processes, above their lanes. */
    laneHead() {
      const names = this.run.processes;
      const width = this.laneWidth();
      this.lanes = Math.ceil(width * names.length);
      if (width < 12) return [];
      const head = make('div', { class: 'lanehead' });
      names.forEach((name, k) => {
        const label = make('span', { title: name }, name);
        label.style.left = `${(k + 0.5) * width}px`;
        head.append(label);
      });
      return [head];
    }

    stepRow(k) {
      const { run } = this;
      const row = make('div', {
        class: 'step', role: 'option', 'data-row': k, 'aria-selected': String(k === this.row && this.atPlace === null),
      });
      if (this.hasLoop && k > run.stem) row.classList.add('loop');
      if (this.hasLoop && k === run.stem) row.classList.add('entry');
      if (this.hasLoop && k === this.last) row.classList.add('back');
      row.addEventListener('click', () => this.go(k));
      const lanes = make('span', { class: 'lanes' });
      lanes.style.width = `${this.lanes}px`;
      row.append(make('span', { class: 'mark' }), make('span', { class: 'count' }, String(k)), lanes);
      const [process, event, changes] = k === 0 ? [null, null, []] : run.steps[k - 1];
      if (process !== null) {
        const dot = make('i', { class: `dot hue${process % 6}`, title: run.processes[process] });
        dot.style.left = `${(process + 0.5) * this.laneWidth()}px`;
        lanes.append(dot);
        row.append(make('span', { class: 'who' }, run.processes[process]));
      }
      const nothing = k === 0 ? 'start' : 'no process is enabled';
      row.append(make('span', { class: 'what' }, event === null ? nothing : run.events[event]));
      if (this.hasLoop && k === run.stem) row.append(make('span', { class: 'chip' }, 'the loop starts here'));
      if (this.hasLoop && k === this.last) {
        const back = `↺ back to row ${run.stem}`;
        row.append(make('span', { class: 'chip' }, run.lap === null ? back : `${back}, permuted by ${run.lap}`));
      }
      row.append(make('span', { class: 'changes' }, this.changesText(changes)));
      return row;
    }

    changesText(changes) {
      const { places, values } = this.run;
      const few = changes.slice(0, 3).map(([place, value, edit]) =>
        edit === null ? `${places[place]} := ${values[value]}` : `${places[place]} ${values[edit]}`);
      return few.join(', ') + (changes.length > few.length ? ', …' : '');
    }

    // -------------------------------------------------------------- variables

    filterBar() {
      const field = make('input', {
        type: 'search', placeholder: 'filter variables', 'aria-label': 'filter variables',
      });
      field.addEventListener('input', () => {
        this.filter = field.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
        this.select();
      });
      const scope = make('select', { 'aria-label': 'which variables' },
        make('option', { value: 'all' }, 'all variables'),
        make('option', { value: 'run' }, 'those that change in this run'),
        make('option', { value: 'step' }, 'those that this step changed'));
      scope.addEventListener('change', () => {
        this.scope = scope.value;
        this.select();
      });
      this.count = make('span', { class: 'muted' });
      return make('div', { class: 'filter' }, field, scope, this.count);
    }

    /** The value of a place now and before; null if nothing came before. */
    values(place) {
      if (this.atPlace !== null) {
        const { places } = this.run.component;
        return [places[this.atPlace].state[place], null];
      }
      const before = this.time === 0 ? null : this.history.value(place, this.row - 1);
      return [this.history.value(place, this.row), before];
    }

    isChanged(place) {
      const [now, before] = this.values(place);
      return before !== null && now !== before;
    }

    /** Chooses the variables that are shown. */
    select() {
      const { places } = this.run;
      this.chosen = [];
      for (let k = 0; k < places.length; k++) {
        const name = places[k].toLowerCase();
        if (!this.filter.every((word) => name.includes(word))) continue;
        if (this.scope === 'run' && !this.history.changes(k)) continue;
        if (this.scope === 'step' && !this.isChanged(k)) continue;
        this.chosen.push(k);
      }
      this.count.textContent = `${this.chosen.length} of ${places.length}`;
      this.variables.resize(this.chosen.length);
    }

    variableRow(k) {
      const place = this.chosen[k];
      const [now, before] = this.values(place);
      const { values } = this.run;
      const name = this.run.places[place];
      // The new value comes first, so that it is in sight however long the old one is.
      const row = make('div', { class: 'variable' },
        make('span', { class: 'place', title: name }, name),
        make('span', { class: 'value', title: values[now] }, values[now]));
      if (before !== null && now !== before) {
        row.classList.add('changed');
        row.append(make('span', { class: 'arrow' }, '←'), make('del', { title: values[before] }, values[before]));
      }
      row.addEventListener('click', () => {
        this.detailed = this.detailed === place ? null : place;
        this.showDetail();
      });
      return row;
    }

    /** The whole of a value that was clicked. */
    showDetail() {
      const isShown = this.detailed !== null && this.detailed !== undefined;
      this.detail.hidden = !isShown;
      if (!isShown) return;
      const [now, before] = this.values(this.detailed);
      const { values, places } = this.run;
      const was = before !== null && now !== before ? make('div', { class: 'muted' }, `before: ${values[before]}`) : '';
      this.detail.replaceChildren(make('b', {}, places[this.detailed]), ' = ', values[now], was);
    }

    // ----------------------------------------------------------------- tables

    /** Arrays over the same indices, side by side. */
    tablePane() {
      this.cells = [];
      const pane = make('div', { class: 'tables' });
      for (const [rows, columns] of this.run.tables) {
        const body = make('tbody');
        rows.forEach((name, k) => {
          const line = make('tr', {}, make('th', { scope: 'row' }, name));
          for (const [, places] of columns) {
            const cell = make('td');
            this.cells.push({ cell, place: places[k] });
            line.append(cell);
          }
          body.append(line);
        });
        const head = make('tr', {}, make('th'), ...columns.map(([name]) => make('th', { scope: 'col' }, name)));
        pane.append(make('div', { class: 'scroll' }, make('table', { class: 'grid' }, make('thead', {}, head), body)));
      }
      return pane;
    }

    showTables() {
      for (const { cell, place } of this.cells) {
        const [now, before] = this.values(place);
        const { values } = this.run;
        cell.textContent = values[now];
        const isChanged = before !== null && now !== before;
        cell.className = isChanged ? 'changed' : '';
        cell.title = isChanged ? `before: ${values[before]}` : '';
      }
    }

    // ---------------------------------------------------------------- enabled

    /** A link to a rule in the model. */
    ruleLink(rule) {
      const [name, line, anchor] = this.run.rules[rule];
      return make('a', { class: 'rule', href: `#${anchor}`, title: `rule "${name}"` }, `line ${line}`);
    }

    /** What can be done in the state, the step that the run takes included. */
    enabledPane() {
      this.enabledTitle = make('summary');
      this.enabledList = make('ul', { class: 'enabled' });
      this.enabledAll = false;
      return make('details', { class: 'enabledpane', open: '' }, this.enabledTitle, this.enabledList);
    }

    showEnabled() {
      const { enabled, events } = this.run;
      if (!enabled) return;
      const most = 12;
      const all = this.atPlace === null ? enabled[this.row] : [];
      const next = this.stepBehind(this.time);
      const taken = next === null || this.atPlace !== null ? null : this.run.taken[next - 1];
      this.enabledTitle.textContent = `What is enabled here: ${all.length === 1 ? '1 step' : `${all.length} steps`}`;
      const shown = this.enabledAll ? all : all.slice(0, most);
      const items = shown.map(([label, rule], k) => {
        const isTaken = k === taken;
        return make('li', isTaken ? { class: 'taken' } : {}, events[label], ' ', this.ruleLink(rule),
          isTaken ? ' ← the run takes it' : '');
      });
      if (all.length > shown.length) {
        const more = button(`and ${all.length - shown.length} more`, 'show all', () => {
          this.enabledAll = true;
          this.showEnabled();
        });
        more.className = 'link';
        items.push(make('li', {}, more));
      }
      this.enabledList.replaceChildren(...items);
    }

    /** The rule of a step, if it is known. */
    ruleOf(step) {
      const { enabled, taken } = this.run;
      if (!enabled || step < 1 || taken[step - 1] === null) return null;
      return enabled[step - 1][taken[step - 1]][1];
    }

    // ---------------------------------------------------------------- formula

    formulaPane() {
      const { run } = this;
      this.truths = run.parts.map((part) => {
        const mark = make('span', { class: 'truth' });
        const text = make('code', {}, part.text);
        text.style.paddingLeft = `${part.depth * 1.2}em`;
        const canvas = make('canvas', { height: '16' });
        const cursor = make('i', { class: 'cursor' });
        const strip = make('div', { class: 'strip', title: 'where it is true' }, canvas, cursor);
        strip.addEventListener('click', (event) => {
          const { left, width } = strip.getBoundingClientRect();
          const at = Math.floor((event.clientX - left) / width * part.truth.length);
          this.go(Math.max(0, Math.min(part.truth.length - 1, at)));
        });
        return { part, mark, canvas, cursor, line: make('tr', {}, make('td', {}, mark), make('td', {}, text), make('td', { class: 'wide' }, strip)) };
      });
      this.about = make('p', { class: 'muted' });
      const pane = make('div', { class: 'formulas' }, make('h3', {}, `The formula along the run${run.around}`), this.about,
        make('p', { class: 'muted' }, 'Green: true; grey: false; underlined: the loop; a click goes there. The run violates the formula because that is false in row 0.'),
        make('table', {}, ...this.truths.map(({ line }) => line)));
      const paint = () => this.truths.forEach((truth) => this.paintStrip(truth));
      new ResizeObserver(paint).observe(pane);
      matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
      return pane;
    }

    paintStrip({ part, canvas }) {
      const style = getComputedStyle(canvas);
      const width = canvas.clientWidth;
      if (width === 0) return;
      canvas.width = width * devicePixelRatio;
      const pen = canvas.getContext('2d');
      const { truth } = part;
      const scale = canvas.width / truth.length;
      for (let from = 0; from < truth.length;) {
        let to = from + 1;
        while (to < truth.length && truth[to] === truth[from]) to++;
        pen.fillStyle = style.getPropertyValue(truth[from] === '1' ? '--true' : '--false');
        pen.fillRect(from * scale, 0, Math.max(1, (to - from) * scale), 16);
        from = to;
      }
      pen.fillStyle = style.getPropertyValue('--loop');
      if (this.hasLoop) pen.fillRect(this.run.stem * scale, 13, canvas.width, 3);
    }

    showTruth() {
      const { stem } = this.run;
      const length = this.run.parts[0].truth.length;
      const at = this.time < stem ? this.time : stem + (this.time - stem) % (length - stem);
      const next = this.rowAt(this.time + 1);
      const following = next === this.row ? 'which is the same again' : `${next}, ${this.action(next)}`;
      this.about.textContent = `Of the state in row ${this.row}, and of the step that follows it (${following}).`;
      for (const { part, mark, cursor } of this.truths) {
        const isTrue = part.truth[at] === '1';
        mark.textContent = isTrue ? '✓' : '✗';
        mark.className = `truth ${isTrue ? 'yes' : 'no'}`;
        mark.title = isTrue ? 'true here' : 'false here';
        cursor.style.left = `${(at + 0.5) / length * 100}%`;
      }
    }

    // --------------------------------------------------------------- pictures

    pictures(element) {
      const { run } = this;
      this.automaton = this.section.querySelector('.automaton');
      if (this.automaton && run.automaton) {
        this.automaton.hidden = false;
        this.automaton.classList.add('picture');
        element.append(make('div', { class: 'pictures' }, make('h3', {}, 'The automaton of its negation'), this.automaton,
          make('p', { class: 'muted' }, 'It accepts the runs that violate the formula, and reads this one: lit are the state in which it is, and the edge that it takes. Double circles, or numbered discs on edges, must be visited infinitely often.')));
      }
      if (run.nodes) {
        this.place = make('div', {});
        this.spaceButton = button('show the state space here', 'move the picture of the state space here', () => this.bringSpace());
        this.place.append(this.spaceButton);
        element.append(this.place);
      }
    }

    /** There is one picture of the state space, and it is where it was wanted last. */
    bringSpace() {
      const picture = document.querySelector('.space');
      const before = picture.parentElement;
      if (before.id !== 'space') {
        const owner = explorers.find((one) => one.place === before);
        owner.place.replaceChildren(owner.spaceButton);
      }
      document.querySelector('#space .elsewhere').hidden = false;
      this.place.replaceChildren(make('h3', {}, 'The state space'), picture);
      this.light();
    }

    light() {
      const { automaton, nodes } = this.run;
      if (this.automaton && automaton) {
        const { states, again } = automaton;
        const state = (time) => states[time < states.length ? time : again + (time - again) % (states.length - again)];
        light(this.automaton, state(this.time), state(this.time + 1));
      }
      const space = this.place?.querySelector('.space .picture');
      if (nodes && space) {
        const next = this.stepBehind(this.time);
        if (this.atPlace !== null) light(space, this.run.component.nodes[this.atPlace], null);
        else light(space, nodes[this.row], next === null ? null : nodes[next]);
      }
    }

    // -------------------------------------------------------------- component

    componentPane() {
      const { places, count } = this.run.component;
      this.places = new List(ROW, (k) => {
        const number = places[k].steps.length;
        const row = make('div', { class: 'componentplace', 'data-place': k, 'aria-selected': String(k === this.atPlace) },
          make('span', { class: 'what' }, `place ${k + 1}`),
          make('span', { class: 'muted' }, number === 1 ? '1 step' : `${number} steps`));
        row.addEventListener('click', () => this.visit(k));
        return row;
      }, { class: 'list places', 'aria-label': 'places' });
      this.onwardOf = 0;
      this.onward = new List(ROW, (k) => {
        const [process, event, target, permutation] = places[this.onwardOf].steps[k];
        const what = event === null ? 'no process is enabled' : this.label(process, event);
        const where = `to place ${target + 1}${permutation === '' ? '' : ` permuted by ${permutation}`}`;
        const row = make('div', { class: 'onward' }, make('span', { class: 'what' }, what), make('span', { class: 'muted' }, where));
        if (target < places.length) row.addEventListener('click', () => this.visit(target));
        return row;
      }, { class: 'list onwards', 'aria-label': 'steps of the place' });
      this.symmetries = make('p', { class: 'muted' });
      // The first place is shown before one is chosen.
      this.showOnward(0);
      this.places.fit(places.length);
      this.places.resize(places.length);
      this.onward.fit(Math.max(...places.map((place) => place.steps.length)));
      const shown = places.length < count ? `; the first ${places.length} are shown` : '';
      return make('div', { class: 'component' },
        make('h3', {}, 'Where the run stays'),
        make('p', {}, `After its last step the run stays in ${count === 1 ? 'one place' : `${count} places`} up to permutations${shown}, and takes every step of each infinitely often. A place is chosen by a click, and its state is shown above.`),
        make('div', { class: 'panes' }, make('div', { class: 'pane' }, this.places.element), make('div', { class: 'pane' }, this.symmetries, this.onward.element)));
    }

    /** Shows the steps of a place of the component. */
    showOnward(place) {
      this.onwardOf = place;
      const { steps, symmetries } = this.run.component.places[place];
      const also = symmetries.length === 0 ? '' : ` Also what becomes of its steps by ${symmetries.join('; ')}.`;
      this.symmetries.textContent = `Steps of place ${place + 1}.${also}`;
      this.onward.resize(steps.length);
      this.onward.reveal(0);
    }

    /** Shows a place of the component. */
    visit(place) {
      this.atPlace = place;
      this.showOnward(place);
      this.places.reveal(place);
      this.status.textContent = `place ${place + 1} of ${this.run.component.count}`;
      this.steps.draw();
      this.select();
      this.showTables();
      this.showDetail();
      this.showEnabled();
      this.light();
    }

    // ----------------------------------------------------------------- moving

    /** Makes the steps that are mentioned in the words about the run lead to them. */
    linkSteps() {
      const mentions = this.section.querySelectorAll('dd.why div, .fair td:not(.names)');
      for (const element of mentions) {
        const text = element.textContent;
        const pieces = [];
        let end = 0;
        for (const found of text.matchAll(/(before )?step (\d+)/g)) {
          const row = Number(found[2]) - (found[1] ? 1 : 0);
          if (row > this.last) continue;
          pieces.push(text.slice(end, found.index), button(found[0], `go to row ${row}`, () => this.go(row)));
          pieces.at(-1).className = 'link';
          end = found.index + found[0].length;
        }
        element.replaceChildren(...pieces, text.slice(end));
      }
    }

    move(by) {
      if (by > 0 ? this.goesOn(this.time) : this.time > 0) this.go(this.time + by);
    }

    /** Shows the run at a time. */
    go(time) {
      this.atPlace = null;
      this.time = this.hasLoop && this.run.lap === null ? Math.max(0, time) : Math.max(0, Math.min(this.last, time));
      this.row = this.rowAt(this.time);
      const rounds = this.roundsBefore(this.time);
      const inLoop = this.hasLoop && this.row > this.run.stem;
      const where = this.row === 0 ? 'start' : `step ${this.row} of ${this.last}: ${this.action(this.row)}`;
      const rule = this.row === 0 ? null : this.ruleOf(this.row);
      const link = rule === null ? [] : [' ', this.ruleLink(rule)];
      this.status.replaceChildren(where, ...link, inLoop ? ` · loop, round ${rounds + 1}` : '');
      this.slider.value = String(this.row);
      this.steps.reveal(this.row);
      if (this.scope === 'step') this.select();
      else this.variables.draw();
      this.showTables();
      this.showDetail();
      this.showEnabled();
      if (this.truths) this.showTruth();
      if (this.places) this.places.draw();
      this.light();
    }
  }

  /** Lights up a node of a picture, and the edge to the next one. */
  function light(picture, node, next) {
    for (const element of picture.querySelectorAll('.lit')) element.classList.remove('lit');
    if (node === null || node === undefined) return;
    const here = picture.querySelector(`[data-node="${node}"]`);
    here?.classList.add('lit');
    if (next !== null && next !== undefined) {
      for (const edge of picture.querySelectorAll(`[data-source="${node}"][data-target="${next}"]`)) edge.classList.add('lit');
    }
    if (!here || picture.clientWidth === 0) return;
    const [inner, outer] = [here.getBoundingClientRect(), picture.getBoundingClientRect()];
    if (inner.left < outer.left || inner.right > outer.right) picture.scrollLeft += inner.left - outer.left - outer.width / 2;
    if (inner.top < outer.top || inner.bottom > outer.bottom) picture.scrollTop += inner.top - outer.top - outer.height / 2;
  }

  const explorers = [];
  let active = null;
  for (const section of document.querySelectorAll('.result')) {
    const run = runs[Number(section.dataset.result)];
    if (run === null) continue;
    const explorer = new Explorer(section, run);
    explorers.push(explorer);
    if (active === null) {
      active = explorer;
      if (run.nodes) explorer.bringSpace();
    }
  }

  const KEYS = {
    ArrowRight: (one) => one.move(1),
    ArrowDown: (one) => one.move(1),
    ArrowLeft: (one) => one.move(-1),
    ArrowUp: (one) => one.move(-1),
    PageDown: (one) => one.go(Math.min(one.last, one.row + 20)),
    PageUp: (one) => one.go(one.row - 20),
    Home: (one) => one.go(0),
    End: (one) => one.go(one.last),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !active) return;
    if (event.target.closest?.('input[type=search], select')) return;
    const action = KEYS[event.key];
    if (!action) return;
    event.preventDefault();
    action(active);
  });

  // A place in the model is of no use while the model is folded away.
  const unfold = () => {
    const line = /^#(file-\d+-)?line-\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!line) return;
    line.closest('details').open = true;
    line.scrollIntoView({ block: 'center' });
  };
  addEventListener('hashchange', unfold);
  unfold();
})();
