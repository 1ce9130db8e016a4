//! Prints expressions, with no more parentheses than readers need.

use super::{Printer, WIDTH};
use crate::parser::operators::{
    self, CONDITIONAL, PRIMARY, level, prefix_levels, prefix_spelling, spelling,
};
use crate::syntax::{
    BinaryOperator, Expression, ExpressionKind, Quantifier, QuantifierDomain, QuantifierKind,
    TotalKind, Type, UnaryOperator,
};

/// The text of an expression on one line.
pub(super) fn text(expression: &Expression) -> String {
    let mut printer = Printer::new(&[]);
    printer.flat(expression);
    printer.out
}

impl Printer<'_> {
    /// Prints an expression, on several lines if necessary.
    pub(super) fn expression(&mut self, expression: &Expression) {
        self.fitted(expression, 0);
    }

    /// Prints an expression that is followed by `behind` more characters on its last line. If the
    /// line is too long, its outermost operators start new lines.
    pub(super) fn fitted(&mut self, expression: &Expression, behind: usize) {
        let (before, line) = (self.out.len(), self.line);
        self.flat(expression);
        if self.column() + behind <= WIDTH {
            return;
        }
        let ExpressionKind::Binary(operator, ..) = expression.kind else { return };
        if level(operator) > level(BinaryOperator::And) {
            return;
        }
        self.out.truncate(before);
        self.line = line;
        // Two levels, to distinguish it from a body.
        self.indented(|printer| {
            printer.indented(|printer| printer.broken(expression, operator, behind));
        });
    }

    /// A chain of one operator; each operand except the first has its own line.
    fn broken(&mut self, expression: &Expression, operator: BinaryOperator, behind: usize) {
        let mut operands = Vec::new();
        let mut first = expression;
        while let ExpressionKind::Binary(other, left, right) = &first.kind
            && *other == operator
            && (!operators::is_once(operator) || operands.is_empty())
        {
            operands.push(&**right);
            first = left;
        }
        self.operand(first, operator, Side::Left, 0);
        while let Some(operand) = operands.pop() {
            self.new_line();
            self.write(spelling(operator));
            self.write(" ");
            self.operand(
                operand,
                operator,
                Side::Right,
                if operands.is_empty() { behind } else { 0 },
            );
        }
    }

    /// One operand of a chain that takes several lines.
    fn operand(&mut self, operand: &Expression, of: BinaryOperator, side: Side, behind: usize) {
        if needs_parentheses(operand, of, side) {
            self.write("(");
            self.fitted(operand, behind + 1);
            self.write(")");
        } else {
            self.fitted(operand, behind);
        }
    }

    /// An expression on one line.
    pub(super) fn flat(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Number(value) => self.write(&value.to_string()),
            ExpressionKind::Name(name) => self.write(name),
            ExpressionKind::Field(of, name) => {
                self.flat(of);
                self.write(".");
                self.write(&name.text);
            }
            ExpressionKind::Element(of, index) => {
                self.flat(of);
                self.write("[");
                self.flat(index);
                self.write("]");
            }
            ExpressionKind::Call { name, arguments } => self.call(&name.text, arguments),
            ExpressionKind::Record { name, fields } => {
                self.write(&name.text);
                self.write(if fields.is_empty() { " {" } else { " { " });
                for (index, (field, value)) in fields.iter().enumerate() {
                    self.write(if index > 0 { ", " } else { "" });
                    self.write(&field.text);
                    self.write(": ");
                    self.flat(value);
                }
                self.write(if fields.is_empty() { "}" } else { " }" });
            }
            ExpressionKind::Set(elements) => {
                self.write(if elements.is_empty() { "{" } else { "{ " });
                self.list(elements);
                self.write(if elements.is_empty() { "}" } else { " }" });
            }
            ExpressionKind::Array(parts) => {
                self.write("[");
                self.list(parts);
                self.write("]");
            }
            ExpressionKind::Unary(operator, operand) => self.unary(*operator, operand),
            ExpressionKind::Binary(operator, left, right) => {
                self.grouped(left, needs_parentheses(left, *operator, Side::Left));
                self.write(" ");
                self.write(spelling(*operator));
                self.write(" ");
                self.grouped(right, needs_parentheses(right, *operator, Side::Right));
            }
            ExpressionKind::Conditional(condition, first, second) => {
                let is_one = |e: &Expression| binding(e) <= CONDITIONAL;
                self.grouped(condition, is_one(condition));
                self.write(" ? ");
                self.grouped(first, is_one(first));
                self.write(" : ");
                self.grouped(second, is_one(second));
            }
            ExpressionKind::Quantified { kind, quantifiers, body } => {
                self.write(match kind {
                    QuantifierKind::Forall => "forall ",
                    QuantifierKind::Exists => "exists ",
                });
                self.repeated(quantifiers, body);
            }
            ExpressionKind::Total { kind, quantifiers, body } => {
                self.write(match kind {
                    TotalKind::Count => "count ",
                    TotalKind::Sum => "sum ",
                });
                self.repeated(quantifiers, body);
            }
            ExpressionKind::CountWhere { name, multiset, condition } => {
                self.element_call("MultiSetCount", &name.text, multiset, condition);
            }
        }
    }

    /// `i: T; j: U do e end`
    fn repeated(&mut self, quantifiers: &[Quantifier], body: &Expression) {
        self.quantifiers(quantifiers);
        self.write(" do ");
        self.flat(body);
        self.write(" end");
    }

    fn grouped(&mut self, expression: &Expression, is_grouped: bool) {
        if is_grouped {
            self.write("(");
        }
        self.flat(expression);
        if is_grouped {
            self.write(")");
        }
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expression) {
        self.write(prefix_spelling(operator));
        let is_grouped = match (operator, &operand.kind) {
            (UnaryOperator::Not, ExpressionKind::Unary(UnaryOperator::Not, _)) => false,
            // `--` would be a comment, and `-+` is hard to read.
            (_, ExpressionKind::Unary(..)) => true,
            _ => binding(operand) < PRIMARY || binding(operand) < prefix_levels(operator).1,
        };
        self.grouped(operand, is_grouped);
    }

    /// `f(a, b)`
    pub(super) fn call(&mut self, name: &str, arguments: &[Expression]) {
        self.write(name);
        self.write("(");
        self.list(arguments);
        self.write(")");
    }

    /// `a, b`
    pub(super) fn list(&mut self, expressions: &[Expression]) {
        for (index, expression) in expressions.iter().enumerate() {
            if index > 0 {
                self.write(", ");
            }
            self.flat(expression);
        }
    }

    /// `MultiSetCount(i: ms, e)`
    pub(super) fn element_call(
        &mut self,
        function: &str,
        name: &str,
        multiset: &Expression,
        condition: &Expression,
    ) {
        self.write(function);
        self.write("(");
        self.write(name);
        self.write(": ");
        self.flat(multiset);
        self.write(", ");
        self.flat(condition);
        self.write(")");
    }

    /// A type inside an expression. Comments in it are printed after the expression, which may be
    /// printed more than once to find its layout.
    fn inner_type(&mut self, of: &Type) {
        let mut printer = Printer::new(&[]);
        printer.indent = self.indent;
        printer.type_(of);
        self.write(&printer.out);
        if let Some(line) = printer.out.rfind('\n') {
            self.line = self.out.len() - printer.out.len() + line + 1;
        }
    }

    /// `i: T; j := a to b by c`
    pub(super) fn quantifiers(&mut self, quantifiers: &[Quantifier]) {
        for (index, quantifier) in quantifiers.iter().enumerate() {
            if index > 0 {
                self.write("; ");
            }
            self.write(&quantifier.name.text);
            match &quantifier.domain {
                QuantifierDomain::In(of) => {
                    self.write(" in ");
                    self.flat(of);
                }
                QuantifierDomain::Type(of) => {
                    self.write(": ");
                    self.inner_type(of);
                }
                QuantifierDomain::Steps { from, to, by } => {
                    self.write(" := ");
                    self.flat(from);
                    self.write(" to ");
                    self.flat(to);
                    if let Some(by) = by {
                        self.write(" by ");
                        self.flat(by);
                    }
                }
            }
        }
    }
}

/// The side of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// The level of the outermost operator.
fn binding(expression: &Expression) -> u8 {
    match &expression.kind {
        ExpressionKind::Conditional(..) => CONDITIONAL,
        ExpressionKind::Binary(operator, ..) => level(*operator),
        ExpressionKind::Unary(operator, _) => prefix_levels(*operator).0,
        _ => PRIMARY,
    }
}

/// Whether the operand of an operator is printed in parentheses.
fn needs_parentheses(operand: &Expression, of: BinaryOperator, side: Side) -> bool {
    let (inner, outer) = (binding(operand), level(of));
    if inner < outer || inner == outer && (side == Side::Right || operators::is_once(of)) {
        return true;
    }
    let ExpressionKind::Binary(inside, ..) = operand.kind else { return false };
    inside != of && (is_junction(inside) && is_junction(of) || is_shift(of) && !is_shift(inside))
}

/// Whether an operator is one of those whose relative precedence is easily forgotten.
fn is_junction(operator: BinaryOperator) -> bool {
    let levels = level(BinaryOperator::OrElse)..=level(BinaryOperator::And);
    levels.contains(&level(operator))
}

fn is_shift(operator: BinaryOperator) -> bool {
    matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight)
}
