//! `#[derive(Cells)]`: which cells a type has.
//!
//! The macro is re-exported as `isonomy::protocol::Cells`, beside the trait of that name, which says what
//! the methods mean. A struct is its fields one after the other. An enumeration without fields is one
//! cell; one with fields is a cell that says which variant it is, then the fields of all variants, of
//! which those of the other variants are undefined.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Fields, Index, LitStr, Member, Type, parse_quote};

/// Implements `Cells` for a struct or an enumeration whose fields have cells.
///
/// `#[cells(name = "give back")]` on a variant of a type of events gives the event another name in
/// formulas; without it, `GiveBack` is `give_back`.
#[proc_macro_derive(Cells, attributes(cells))]
pub fn cells(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    implement(input).unwrap_or_else(Error::into_compile_error).into()
}

/// Where the trait is.
fn home() -> TokenStream {
    quote!(::isonomy::protocol)
}

fn implement(mut input: DeriveInput) -> Result<TokenStream, Error> {
    let home = home();
    if let Some(lifetime) = input.generics.lifetimes().next() {
        let message = "a type with cells owns all its parts: it cannot have a lifetime";
        return Err(Error::new(lifetime.span(), message));
    }
    refuse_attributes(&input.attrs, "on a type")?;
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#home::Cells));
    }
    let body = match &input.data {
        Data::Struct(data) => of_struct(&data.fields)?,
        Data::Enum(data) if data.variants.is_empty() => {
            let message = "an enumeration without variants has no values, hence no cells";
            return Err(Error::new(input.ident.span(), message));
        }
        Data::Enum(data) => {
            let variants = data.variants.iter().map(Variant::new).collect::<Result<Vec<_>, _>>()?;
            if variants.iter().all(|one| one.fields.is_empty()) {
                of_names(&variants)
            } else {
                of_enum(&variants)
            }
        }
        Data::Union(data) => {
            let message = "a union does not say which of its fields it holds: use an enumeration";
            return Err(Error::new(data.union_token.span(), message));
        }
    };
    let name = &input.ident;
    let (generics, arguments, conditions) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic, unreachable_patterns, unused_variables)]
        impl #generics #home::Cells for #name #arguments #conditions {
            #body
        }
    })
}

/// A field of a struct or a variant.
struct Field {
    member: Member,
    /// A variable for it.
    variable: syn::Ident,
    /// Its name in messages.
    name: String,
    of: Type,
}

fn fields(of: &Fields) -> Result<Vec<Field>, Error> {
    let field = |(k, field): (usize, &syn::Field)| {
        refuse_attributes(&field.attrs, "on a field: every field is stored")?;
        let (member, name) = match &field.ident {
            Some(name) => (Member::Named(name.clone()), name.unraw().to_string()),
            None => (Member::Unnamed(Index::from(k)), k.to_string()),
        };
        let variable = format_ident!("field_{k}");
        Ok(Field { member, variable, name, of: field.ty.clone() })
    };
    of.iter().enumerate().map(field).collect()
}

/// A variant of an enumeration.
struct Variant {
    ident: syn::Ident,
    name: String,
    fields: Vec<Field>,
}

impl Variant {
    fn new(variant: &syn::Variant) -> Result<Variant, Error> {
        let mut name = variant.ident.unraw().to_string();
        for attribute in variant.attrs.iter().filter(|one| one.path().is_ident("cells")) {
            attribute.parse_nested_meta(|meta| {
                if !meta.path.is_ident("name") {
                    return Err(meta.error("expected `name = \"...\"`"));
                }
                name = meta.value()?.parse::<LitStr>()?.value();
                Ok(())
            })?;
        }
        Ok(Variant { ident: variant.ident.clone(), name, fields: fields(&variant.fields)? })
    }
}

/// Refuses attributes of this macro where they mean nothing.
fn refuse_attributes(attributes: &[syn::Attribute], place: &str) -> Result<(), Error> {
    match attributes.iter().find(|one| one.path().is_ident("cells")) {
        None => Ok(()),
        Some(one) => {
            let message = format!("`#[cells(...)]` has no meaning {place}; it names variants");
            Err(Error::new(one.span(), message))
        }
    }
}

/// The shapes of fields, with their names.
fn shapes(fields: &[Field]) -> TokenStream {
    let home = home();
    let each = fields.iter().map(|Field { name, of, .. }| {
        quote!((::std::string::String::from(#name), <#of as #home::Cells>::shape(all)))
    });
    quote!(::std::vec::Vec::from([#(#each),*]))
}

/// The number of cells of fields, for the index types `all`.
fn count<'f>(fields: impl Iterator<Item = &'f Field>, all: &TokenStream) -> TokenStream {
    let home = home();
    let each = fields.map(|Field { of, .. }| quote!(+ <#of as #home::Cells>::cells(#all)));
    quote!((0_usize #(#each)*))
}

fn of_struct(of: &Fields) -> Result<TokenStream, Error> {
    let home = home();
    let fields = fields(of)?;
    let shapes = shapes(&fields);
    let shape = if fields.is_empty() {
        quote!(#home::Shape::Struct(::std::vec::Vec::new()))
    } else {
        quote!(#home::Shape::Struct(#shapes))
    };
    let count = count(fields.iter(), &quote!(all));
    let members: Vec<&Member> = fields.iter().map(|one| &one.member).collect();
    let types: Vec<&Type> = fields.iter().map(|one| &one.of).collect();
    Ok(quote! {
        fn shape(all: &#home::Indices) -> #home::Shape {
            #shape
        }

        fn cells(all: &#home::Indices) -> usize {
            #count
        }

        #[inline]
        fn write(&self, to: &mut #home::Writer<'_>) {
            #(#home::Cells::write(&self.#members, to);)*
        }

        #[inline]
        fn write_changes(&self, old: &Self, first: usize, to: &mut #home::Changes<'_>) -> usize {
            #(let first = #home::Cells::write_changes(&self.#members, &old.#members, first, to);)*
            first
        }

        #[inline]
        fn read(from: &mut #home::Reader<'_>) -> Self {
            Self { #(#members: <#types as #home::Cells>::read(from)),* }
        }

        fn renamed(&self, by: &#home::Renaming<'_>) -> Self {
            Self { #(#members: #home::Cells::renamed(&self.#members, by)),* }
        }
    })
}

fn of_names(variants: &[Variant]) -> TokenStream {
    let home = home();
    let names = variants.iter().map(|one| &one.name);
    let idents: Vec<&syn::Ident> = variants.iter().map(|one| &one.ident).collect();
    let numbers: Vec<Literal> = (0..variants.len()).map(number).collect();
    let impossible = impossible();
    quote! {
        const IS_SIMPLE: bool = true;

        fn shape(all: &#home::Indices) -> #home::Shape {
            #home::names(&[#(#names),*])
        }

        fn cells(all: &#home::Indices) -> usize {
            1
        }

        #[inline]
        fn write(&self, to: &mut #home::Writer<'_>) {
            to.put(match self {
                #(Self::#idents {} => #numbers,)*
            });
        }

        #[inline]
        fn write_changes(&self, old: &Self, first: usize, to: &mut #home::Changes<'_>) -> usize {
            let number = |of: &Self| match of {
                #(Self::#idents {} => #numbers,)*
            };
            to.put(first, number(self), number(old))
        }

        #[inline]
        fn may_differ(&self, old: &Self) -> bool {
            ::core::mem::discriminant(self) != ::core::mem::discriminant(old)
        }

        #[inline]
        fn write_variant(&self, to: &mut #home::Writer<'_>) -> ::core::option::Option<u32> {
            ::core::option::Option::Some(match self {
                #(Self::#idents {} => #numbers,)*
            })
        }

        #[inline]
        fn read(from: &mut #home::Reader<'_>) -> Self {
            match from.take() {
                #(#numbers => Self::#idents {},)*
                _ => #impossible,
            }
        }

        fn renamed(&self, by: &#home::Renaming<'_>) -> Self {
            ::core::clone::Clone::clone(self)
        }
    }
}

fn of_enum(variants: &[Variant]) -> TokenStream {
    let home = home();
    let impossible = impossible();
    let shape = variants.iter().map(|Variant { name, fields, .. }| {
        let shapes =
            if fields.is_empty() { quote!(::std::vec::Vec::new()) } else { shapes(fields) };
        quote!(#home::Variant { name: ::std::string::String::from(#name), fields: #shapes })
    });
    let all = count(variants.iter().flat_map(|one| &one.fields), &quote!(all));
    let (mut write, mut write_changes) = (Vec::new(), Vec::new());
    let (mut write_variant, mut read, mut renamed) = (Vec::new(), Vec::new(), Vec::new());
    for (k, Variant { ident, fields, .. }) in variants.iter().enumerate() {
        let number = number(k);
        let before = variants[..k].iter().flat_map(|one| &one.fields);
        let after = variants[k + 1..].iter().flat_map(|one| &one.fields);
        let indices = quote!(to.indices());
        let (put_before, put_after) =
            (count(before.clone(), &indices), count(after.clone(), &indices));
        let indices = quote!(from.indices());
        let (skip_before, skip_after) = (count(before, &indices), count(after, &indices));
        let members: Vec<&Member> = fields.iter().map(|one| &one.member).collect();
        let variables: Vec<&syn::Ident> = fields.iter().map(|one| &one.variable).collect();
        let olds: Vec<syn::Ident> =
            variables.iter().map(|variable| format_ident!("old_{variable}")).collect();
        let types: Vec<&Type> = fields.iter().map(|one| &one.of).collect();
        write.push(quote! {
            Self::#ident { #(#members: #variables),* } => {
                to.put(#number);
                to.put_absent(#put_before);
                #(#home::Cells::write(#variables, to);)*
                to.put_absent(#put_after);
            }
        });
        write_changes.push(quote! {
            (Self::#ident { #(#members: #variables),* }, Self::#ident { #(#members: #olds),* }) => {
                let first = first + 1 + #put_before;
                #(let first = #home::Cells::write_changes(#variables, #olds, first, to);)*
                first + #put_after
            }
        });
        write_variant.push(quote! {
            Self::#ident { #(#members: #variables),* } => {
                #(#home::Cells::write(#variables, to);)*
                #number
            }
        });
        read.push(quote! {
            #number => {
                from.skip(#skip_before);
                let value = Self::#ident { #(#members: <#types as #home::Cells>::read(from)),* };
                from.skip(#skip_after);
                value
            }
        });
        renamed.push(quote! {
            Self::#ident { #(#members: #variables),* } => {
                Self::#ident { #(#members: #home::Cells::renamed(#variables, by)),* }
            }
        });
    }
    quote! {
        fn shape(all: &#home::Indices) -> #home::Shape {
            #home::Shape::Enum(::std::vec::Vec::from([#(#shape),*]))
        }

        fn cells(all: &#home::Indices) -> usize {
            1 + #all
        }

        #[inline]
        fn write(&self, to: &mut #home::Writer<'_>) {
            match self {
                #(#write)*
            }
        }

        #[inline]
        fn write_changes(&self, old: &Self, first: usize, to: &mut #home::Changes<'_>) -> usize {
            match (self, old) {
                #(#write_changes)*
                _ => to.put_whole(first, self),
            }
        }

        #[inline]
        fn write_variant(&self, to: &mut #home::Writer<'_>) -> ::core::option::Option<u32> {
            ::core::option::Option::Some(match self {
                #(#write_variant)*
            })
        }

        #[inline]
        fn read(from: &mut #home::Reader<'_>) -> Self {
            match from.take() {
                #(#read)*
                _ => #impossible,
            }
        }

        fn renamed(&self, by: &#home::Renaming<'_>) -> Self {
            match self {
                #(#renamed)*
            }
        }
    }
}

/// The number of a variant, of any type of integers.
fn number(variant: usize) -> Literal {
    Literal::usize_unsuffixed(variant)
}

/// What is read that was never written.
fn impossible() -> TokenStream {
    let message = LitStr::new("a cell holds the number of a variant", Span::call_site());
    quote!(::core::unreachable!(#message))
}

#[cfg(test)]
mod tests {
    use super::implement;
    use syn::parse_quote;

    /// The message about a type that has no cells.
    fn refused(input: syn::DeriveInput) -> String {
        implement(input).expect_err("it is refused").to_string()
    }

    #[test]
    fn types_that_cannot_have_cells_are_refused_with_a_reason() {
        let lifetime = parse_quote! { struct Borrowed<'a> { text: &'a str } };
        assert!(refused(lifetime).contains("it cannot have a lifetime"));
        let empty = parse_quote! { enum Never {} };
        assert!(refused(empty).contains("has no values, hence no cells"));
        let union = parse_quote! { union Bits { a: u8, b: i8 } };
        assert!(refused(union).contains("use an enumeration"));
        let skipped = parse_quote! { struct Part { #[cells(skip)] hidden: u8 } };
        assert!(refused(skipped).contains("every field is stored"));
        let of_type = parse_quote! { #[cells(name = "x")] struct Part; };
        assert!(refused(of_type).contains("it names variants"));
        let unknown = parse_quote! { enum Event { #[cells(names = "x")] Ask } };
        assert!(refused(unknown).contains("expected `name = \"...\"`"));
        let number = parse_quote! { enum Event { #[cells(name = 5)] Ask } };
        assert!(refused(number).contains("expected string literal"));
    }

    #[test]
    fn structs_and_enumerations_have_cells() {
        let types: [syn::DeriveInput; 5] = [
            parse_quote! { struct Unit; },
            parse_quote! { struct Pair(u8, bool); },
            parse_quote! { struct Named<T: Copy, const N: usize> where T: Eq { r#type: [T; N] } },
            parse_quote! { enum Names { A, B() , C {} } },
            parse_quote! { enum Event { #[cells(name = "give up")] GiveUp, Ask { to: u8 } } },
        ];
        for of in types {
            let name = of.ident.clone();
            let made = implement(of).expect("it has cells");
            syn::parse2::<syn::ItemImpl>(made).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
