//! The checker: from a syntax tree to a [`checked::Model`](super::checked::Model), or to all errors
//! in it.
//!
//! There are three passes. *Declarations* come first, in the order of the text: constants, types,
//! variables, then the heads of functions. So a body may use names that are declared after it, but
//! a declaration may not. *Bodies* follow: functions, rules, properties, each with its own frame.
//! *Conclusions* need everything: effects of functions (guards must have none), events, arguments
//! that must be copied, symmetry.
//!
//! The checker does not stop at the first error. A part with an error is reported once and becomes
//! `None`; every part that needs it becomes `None`, too, without a report. A name whose declaration
//! is wrong is [`ScopeSymbol::Broken`]. If the text has syntax errors, undeclared names are not
//! reported: the parser may have skipped their declarations.

mod alternatives;
mod calls;
mod constants;
mod effects;
mod events;
mod expressions;
mod formulas;
mod literals;
mod meaning;
mod passing;
mod places;
mod queues;
mod rules;
mod scope;
mod sets;
mod statements;
mod types;

pub use constants::{calculate, compare};

use super::checked::{
    Constant, Event, Formula, Function, FunctionId, Local, LocalId, LocalKind, Model, Place,
    ProcessFamily, Property, Requirement, Root, Rule, Shown, Start, Statement, Variable,
    VariableId,
};
use super::parser;
use super::symmetry::rules::Rules;
use super::syntax::{self, Declaration, Item, Name, VariableType};
use super::types::{TypeId, Types};
use super::value::Scalar;
use hashbrown::HashMap;
use ltl::source::Severity;
use ltl::{Diagnostic, Span};
pub use scope::nearest;
use scope::{ScopeSymbol, Scopes};

/// `-D NAME=VALUE`: gives a constant of the model another value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The constant.
    pub name: String,
    /// Its value: an expression as in the model.
    pub value: String,
}

/// All errors in a model and its definitions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Errors {
    /// Errors in the text of the model and in the questions after it, in their order: see
    /// [`check_with`].
    pub model: Vec<Diagnostic>,
    /// Errors in definitions, with the number of the definition; spans are in its value.
    pub definitions: Vec<(usize, Diagnostic)>,
}

/// Parses and checks a model.
pub fn check(text: &str, definitions: &[Definition]) -> Result<Model, Errors> {
    check_with(text, definitions, &[])
}

/// Parses and checks a model with formulas that are checked on it, in the language of `ltl`
/// properties: `forall c: client. G(st[c] = R -> F st[c] = K) under weak fairness`. They become
/// [`Model::questions`].
///
/// They are not checked one by one against a checked model: a formula may call a function that is
/// not called elsewhere and that distinguishes the values of an index type. The groups of a model
/// are those that all of its formulas allow.
///
/// All spans, in errors, warnings and run-time errors, are offsets into the concatenated texts, the
/// model first, as in [`ltl::Sources`].
pub fn check_with(
    text: &str,
    definitions: &[Definition],
    questions: &[&str],
) -> Result<Model, Errors> {
    check_showing(text, definitions, questions, &[])
}

/// [`check_with`], with expressions whose values along runs are asked for: [`Model::shown`]. Their texts
/// follow the questions. They do not change the symmetry of the model, because they are evaluated in
/// the states of runs only.
pub fn check_showing(
    text: &str,
    definitions: &[Definition],
    questions: &[&str],
    shown: &[&str],
) -> Result<Model, Errors> {
    let parsed = parser::parse(text);
    let span = tracing::debug_span!(
        "model.resolve",
        rules = tracing::field::Empty,
        variables = tracing::field::Empty,
        functions = tracing::field::Empty
    );
    let _entered = span.enter();
    let mut texts = text.to_owned();
    let mut places = Vec::new();
    for question in questions.iter().chain(shown) {
        texts.push('\n');
        places.push(Span { start: texts.len(), end: texts.len() + question.len() });
        texts.push_str(question);
    }
    let mut checker = Checker::new(&texts, definitions, !parsed.errors.is_empty());
    checker.model_text = &texts[..text.len()];
    let (questions, shown) = places.split_at(questions.len());
    let model = checker.model(&parsed.model, questions, shown);
    span.record("rules", model.rules.len());
    span.record("variables", model.variables.len());
    span.record("functions", model.functions.len());
    let mut errors = Errors { model: parsed.errors, definitions: checker.definition_errors };
    errors.model.extend(checker.errors);
    if errors != Errors::default() {
        errors.model.sort_by_key(|error| (error.span.start, error.span.end));
        errors.model.truncate(MOST_ERRORS);
        return Err(errors);
    }
    Ok(model)
}

/// Parses and checks a model without one of the rules of symmetry: for tests of these.
#[cfg(any(test, feature = "testing"))]
pub fn check_without(
    text: &str,
    rule: super::symmetry::rules::SymmetryRule,
) -> Result<Model, Errors> {
    let mut checker = Checker::new(text, &[], false);
    checker.symmetry_rules = Rules { without: Some(rule) };
    let parsed = parser::parse(text);
    let model = checker.model(&parsed.model, &[], &[]);
    let errors = Errors { model: checker.errors, definitions: Vec::new() };
    if errors == Errors::default() { Ok(model) } else { Err(errors) }
}

/// The greatest number of errors that are reported.
const MOST_ERRORS: usize = 100;

struct Checker<'t> {
    /// The text of the model, followed by the questions.
    text: &'t str,
    model_text: &'t str,
    definitions: &'t [Definition],
    /// Whether each definition has found its constant.
    used_definitions: Vec<bool>,
    /// Whether the tree lacks parts that could not be parsed.
    partial: bool,
    symmetry_rules: Rules,
    types: Types,
    constants: Vec<Constant>,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    starts: Vec<Start>,
    rules: Vec<Rule>,
    events: Vec<Event>,
    processes: Vec<ProcessFamily>,
    properties: Vec<Property>,
    formulas: Vec<Formula>,
    questions: Vec<Formula>,
    shown: Vec<Shown>,
    requirements: Vec<Requirement>,
    /// The names of `rules` as written, until all are known.
    rule_names: Vec<Option<String>>,
    scopes: Scopes,
    frame: Frame,
    /// What variables of the state begin with.
    initials: Vec<literals::Initial>,
    /// Where each global name is declared, also those that come later.
    declared: HashMap<String, Span>,
    errors: Vec<Diagnostic>,
    definition_errors: Vec<(usize, Diagnostic)>,
    warnings: Vec<Diagnostic>,
}

/// The frame of the rule, function or property that is being checked.
#[derive(Clone, Default)]
struct Frame {
    locals: Vec<Local>,
    /// The place that each alias stands for, if it stands for a place.
    targets: HashMap<LocalId, Place>,
    /// The multiset that each [`LocalKind::Chosen`] is a position in.
    chosen: HashMap<LocalId, TypeId>,
    /// Whether `return` needs a value.
    result: Return,
    /// The assignments of initial values to variables of the frame, until its body is checked.
    initial: Vec<Statement>,
}

/// The value that `return` needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Return {
    /// No value.
    #[default]
    Nothing,
    /// A value of this type.
    Value(TypeId),
}

impl<'t> Checker<'t> {
    fn new(text: &'t str, definitions: &'t [Definition], partial: bool) -> Self {
        let mut scopes = Scopes::new();
        for (name, symbol) in [
            ("boolean", ScopeSymbol::Type(Types::BOOLEAN)),
            ("true", ScopeSymbol::Constant(Scalar::boolean(true), Types::BOOLEAN)),
            ("false", ScopeSymbol::Constant(Scalar::boolean(false), Types::BOOLEAN)),
        ] {
            let fresh = scopes.declare(name, symbol, None);
            debug_assert!(fresh.is_ok());
        }
        Checker {
            text,
            model_text: text,
            definitions,
            used_definitions: vec![false; definitions.len()],
            partial,
            symmetry_rules: Rules::default(),
            types: Types::new(),
            constants: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            starts: Vec::new(),
            rules: Vec::new(),
            events: Vec::new(),
            processes: Vec::new(),
            properties: Vec::new(),
            formulas: Vec::new(),
            questions: Vec::new(),
            shown: Vec::new(),
            requirements: Vec::new(),
            rule_names: Vec::new(),
            scopes,
            frame: Frame::default(),
            initials: Vec::new(),
            declared: HashMap::new(),
            errors: Vec::new(),
            definition_errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The model of this tree; questions about it, and expressions to be shown, have these spans in the
    /// text.
    fn model(&mut self, tree: &syntax::Model, questions: &[Span], shown: &[Span]) -> Model {
        self.survey(tree);
        for item in &tree.items {
            if let Item::Declaration(declaration) = item {
                self.declaration(declaration);
            }
        }
        self.state_fits();
        self.unused_definitions();
        let functions = tree.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            _ => None,
        });
        let heads: Vec<_> =
            functions.map(|function| (function, self.function_head(function))).collect();
        for (function, head) in heads {
            if let Some(id) = head {
                self.function_body(function, id);
            }
        }
        self.all_rules(tree);
        self.effects();
        self.hidden_operations();
        self.formulas(tree);
        for &place in questions {
            self.question(place);
        }
        for &place in shown {
            self.show(place);
        }
        let mut model = Model {
            types: std::mem::take(&mut self.types),
            constants: std::mem::take(&mut self.constants),
            variables: std::mem::take(&mut self.variables),
            functions: std::mem::take(&mut self.functions),
            starts: std::mem::take(&mut self.starts),
            rules: std::mem::take(&mut self.rules),
            events: std::mem::take(&mut self.events),
            processes: std::mem::take(&mut self.processes),
            properties: std::mem::take(&mut self.properties),
            formulas: std::mem::take(&mut self.formulas),
            questions: std::mem::take(&mut self.questions),
            shown: std::mem::take(&mut self.shown),
            requirements: std::mem::take(&mut self.requirements),
            symmetries: Vec::new(),
            warnings: std::mem::take(&mut self.warnings),
        };
        if self.errors.is_empty() && !self.partial {
            passing::by_value(&mut model);
            self.errors.extend(super::symmetry::judge(&mut model, self.symmetry_rules));
            model.warnings.sort_by_key(|warning| (warning.span.start, warning.span.end));
        }
        model
    }

    /// Records where global names are declared, so that a use before the declaration can be
    /// explained.
    fn survey(&mut self, tree: &syntax::Model) {
        let mut included = Vec::new();
        let mut note = |names: &[Name]| {
            for name in names {
                self.declared.entry(name.text.clone()).or_insert(name.place.0);
            }
        };
        for item in &tree.items {
            match item {
                Item::Declaration(Declaration::Constants(list)) => {
                    for (names, _) in list {
                        note(names);
                    }
                }
                Item::Declaration(Declaration::Types(list)) => {
                    for (names, _) in list {
                        note(names);
                    }
                }
                Item::Declaration(Declaration::Variables(list)) => {
                    for (names, _) in list {
                        note(names);
                    }
                }
                Item::Function(function) => note(std::slice::from_ref(&function.name)),
                Item::Include(include) => {
                    let message = "this text is in no file, so that it cannot include one";
                    let error = Diagnostic::error(include.place, message);
                    let help = "the program includes files; put the texts together before";
                    included.push(error.help(help));
                }
                Item::Rule(_) => {}
            }
        }
        self.errors.extend(included);
    }

    fn error(&mut self, span: impl Into<Span>, message: impl Into<String>) -> &mut Diagnostic {
        self.errors.push(Diagnostic::error(span, message));
        self.errors.last_mut().expect("it was pushed just now")
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        match diagnostic.severity {
            Severity::Error | Severity::Violated => self.errors.push(diagnostic),
            Severity::Warning => self.warnings.push(diagnostic),
        }
    }

    /// Declares a name in the innermost scope; it must be new there.
    fn declare(&mut self, name: &Name, symbol: ScopeSymbol) {
        let Err(before) = self.scopes.declare(&name.text, symbol, Some(name.place.0)) else {
            return;
        };
        let wrong = Diagnostic::error(name.place, format!("`{}` is declared twice", name.text));
        self.report(match before {
            Some(before) => {
                wrong.related(before, "the first declaration").help("rename one of them")
            }
            None => wrong.help("this name is built in: choose another one"),
        });
    }

    /// A new slot of the frame, without a name in scope.
    fn slot(&mut self, name: &Name, of: TypeId, kind: LocalKind) -> LocalId {
        let id = LocalId(self.frame.locals.len() as u32);
        self.frame.locals.push(Local { name: name.text.clone(), of, kind, span: name.place.0 });
        id
    }

    /// A new slot of the frame, with its name.
    fn local(&mut self, name: &Name, of: TypeId, kind: LocalKind) -> LocalId {
        let id = self.slot(name, of, kind);
        self.declare(name, ScopeSymbol::Local(id));
        id
    }

    /// Cuts the frame back to its first slots; returns all slots that it had.
    fn cut_frame(&mut self, slots: usize) -> Vec<Local> {
        let all = self.frame.locals.clone();
        self.frame.locals.truncate(slots);
        self.frame.targets.retain(|id, _| (id.0 as usize) < slots);
        self.frame.chosen.retain(|id, _| (id.0 as usize) < slots);
        all
    }

    fn declaration(&mut self, declaration: &Declaration) {
        match declaration {
            Declaration::Constants(list) => {
                for (names, value) in list {
                    self.constant(names, value);
                }
            }
            Declaration::Types(list) => {
                for (names, of) in list {
                    self.type_names(names, of);
                }
            }
            Declaration::Variables(list) => {
                for (names, VariableType { of, initial }) in list {
                    let id = self.type_of(of);
                    for name in names {
                        match id {
                            None => self.declare(name, ScopeSymbol::Broken),
                            Some(id) => self.variable(name, id),
                        }
                        if let Some(initial) = initial {
                            self.begins_with(name, initial);
                        }
                    }
                }
            }
        }
    }

    fn variable(&mut self, name: &Name, of: TypeId) {
        if self.scopes.is_innermost_global() {
            let id = VariableId(self.variables.len() as u32);
            self.variables.push(Variable { name: name.text.clone(), of, span: name.place.0 });
            self.declare(name, ScopeSymbol::Global(id));
        } else {
            self.local(name, of, LocalKind::Variable);
        }
    }

    fn function_head(&mut self, function: &syntax::Function) -> Option<FunctionId> {
        self.frame = Frame::default();
        let mut intact = true;
        for parameter in &function.parameters {
            let Some(of) = self.type_of(&parameter.of) else {
                intact = false;
                continue;
            };
            let kind = if parameter.writable {
                LocalKind::WritableParameter
            } else {
                LocalKind::Parameter
            };
            for name in &parameter.names {
                self.slot(name, of, kind);
            }
        }
        let result = match &function.result {
            None => None,
            Some(of) => {
                let of = self.type_of(of);
                intact &= of.is_some();
                of
            }
        };
        if !intact {
            self.declare(&function.name, ScopeSymbol::Broken);
            return None;
        }
        let id = FunctionId(self.functions.len() as u32);
        let locals = std::mem::take(&mut self.frame.locals);
        self.functions.push(Function {
            name: function.name.text.clone(),
            arity: locals.len(),
            locals,
            result,
            body: Vec::new(),
            has_effects: false,
            only_prints: false,
            span: function.place.0,
        });
        self.declare(&function.name, ScopeSymbol::Function(id));
        Some(id)
    }

    fn function_body(&mut self, function: &syntax::Function, id: FunctionId) {
        let head = &self.functions[id.0 as usize];
        let result = head.result.map_or(Return::Nothing, Return::Value);
        self.frame = Frame { locals: head.locals.clone(), result, ..Frame::default() };
        self.scopes.enter();
        let names = function.parameters.iter().flat_map(|parameter| &parameter.names);
        for (slot, name) in names.enumerate() {
            self.declare(name, ScopeSymbol::Local(LocalId(slot as u32)));
        }
        for declaration in &function.declarations {
            self.declaration(declaration);
        }
        let body = self.statements(&function.body);
        let body = [std::mem::take(&mut self.frame.initial), body].concat();
        self.scopes.leave();
        let frame = std::mem::take(&mut self.frame);
        let function = &mut self.functions[id.0 as usize];
        function.locals = frame.locals;
        function.body = body;
    }

    /// Reports a state that is too large: many states must fit into memory.
    fn state_fits(&mut self) {
        let mut cells: u64 = 0;
        for variable in &self.variables {
            cells = cells.saturating_add(self.types.cells(variable.of));
            if cells > MOST_CELLS {
                let (span, name) = (variable.span, variable.name.clone());
                let wrong = Diagnostic::error(
                    span,
                    format!("with `{name}` a state has more than {MOST_CELLS} parts"),
                );
                self.report(
                    wrong.help("a model checker keeps millions of states: use smaller types"),
                );
                return;
            }
        }
    }

    /// The root that a place is stored in, with all aliases resolved.
    fn storage(&self, place: &Place) -> Root {
        match place.root {
            Root::Local(id) => match self.frame.targets.get(&id) {
                Some(target) => self.storage(target),
                None => place.root,
            },
            Root::Global(_) => place.root,
        }
    }
}

/// The greatest number of simple parts of a state.
const MOST_CELLS: u64 = 1 << 20;
