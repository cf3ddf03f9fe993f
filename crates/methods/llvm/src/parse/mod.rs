//! Reads textual IR as `opt -S` of LLVM 13 to 24 prints it.
//!
//! A function that uses what the model does not have becomes [`crate::ir::Body::Opaque`] with the reason;
//! other items that cannot be read are kept as text. Only a text that is no IR at all is an error. No text
//! makes the parser panic or recurse without bound.
//!
//! What is not kept: the name of the source file, debug records (`#dbg_value(…)`) and calls of `llvm.dbg.*`,
//! use-list orders, summaries, and metadata nodes that nothing refers to. The parser checks the types that
//! it needs to read on; everything else is for `verify`.

mod attribute;
mod call;
mod constant;
pub(crate) mod context;
mod control;
mod function;
mod global;
mod instruction;
pub(crate) mod lexer;
mod memory;
mod metadata;
mod number;
mod parser;
mod scope;
pub(crate) mod survey;
mod types;

use std::collections::BTreeMap;
use std::sync::Arc;

use context::{Context, references};
use global::Named;
use lexer::Token;
use parser::Parser;

use crate::ir::{Declaration, Module, Type};

/// Why a text is not a module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("not textual LLVM IR: {0}")]
    NotIr(String),
}

impl Module {
    /// Reads a module.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let survey = survey::survey(text);
        let mut context = Context::new(&survey);
        let has_typed_pointers = survey.has_typed_pointers;
        let mut module = Self { has_typed_pointers, ..Self::default() };
        read_definitions(&survey.items, &mut context, &mut module);
        for item in &survey.items {
            read_item(item, &mut context, &mut module)?;
        }
        module.nodes = used_nodes(&context);
        Ok(module)
    }
}

impl Type {
    /// Reads a type.
    pub fn parse(text: &str) -> Option<Self> {
        let survey = survey::survey("");
        let mut context = Context::new(&survey);
        let mut parser = Parser::new(text, &mut context);
        let ty = parser.ty().ok()?;
        (parser.token() == Token::End).then_some(ty)
    }
}

/// Attribute groups, types and nodes, which functions before them refer to.
fn read_definitions<'a>(items: &[&'a str], context: &mut Context<'a>, module: &mut Module) {
    for &item in items {
        match item.as_bytes().first() {
            Some(b'%') => match Parser::new(item, context).named_type() {
                Ok(named) => {
                    if let Some(definition) = &named.definition {
                        context.definitions.insert(named.name.clone(), definition.clone());
                    }
                    module.types.push(named);
                }
                Err(_) => module.others.push(context.text(item)),
            },
            Some(b'!') if item.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => {
                if let Some((number, text)) = item[1..].split_once('=')
                    && let Ok(number) = number.trim().parse()
                {
                    let text = context.node_text(text.trim());
                    context.nodes.insert(number, text);
                }
            }
            Some(b'a') if item.starts_with("attributes") => {
                if let Ok((key, attributes)) = Parser::new(item, context).group() {
                    context.groups.insert(key, attributes);
                }
            }
            _ => {}
        }
    }
}

fn read_item<'a>(
    item: &'a str,
    context: &mut Context<'a>,
    module: &mut Module,
) -> Result<(), ParseError> {
    let mut parser = Parser::new(item, context);
    match parser.token() {
        Token::Word("define") => match parser.function() {
            Ok(function) => module.functions.push(function),
            Err(_) => module.others.push(context.text(item)),
        },
        Token::Word("declare") => match parser.declaration() {
            Ok(header) => module.declarations.push(Declaration { header }),
            Err(_) => module.others.push(context.text(item)),
        },
        Token::Global(_) => match parser.global_item() {
            Ok(Named::Global(global)) => module.globals.push(global),
            Ok(Named::Alias(alias)) => module.aliases.push(alias),
            Err(_) => return Err(not_ir(item)),
        },
        Token::Word("target") => read_target(&mut parser, module).ok_or_else(|| not_ir(item))?,
        Token::Word("source_filename" | "attributes" | "uselistorder" | "uselistorder_bb")
        | Token::Local(_)
        | Token::Node(_)
        | Token::End => {}
        Token::Word("module") | Token::Comdat(_) | Token::MetadataName(_) => {
            let text = parser.rest();
            module.others.push(text);
        }
        // An entry of a summary.
        Token::Unknown if item.starts_with('^') => {}
        _ => return Err(not_ir(item)),
    }
    Ok(())
}

fn read_target(parser: &mut Parser<'_, '_>, module: &mut Module) -> Option<()> {
    parser.advance();
    let which = parser.word().ok()?;
    parser.expect(b'=').ok()?;
    let Token::Text(text) = parser.token() else { return None };
    match which {
        "datalayout" => module.data_layout = Some(text.into()),
        "triple" => module.triple = Some(text.into()),
        _ => return None,
    }
    Some(())
}

fn not_ir(item: &str) -> ParseError {
    let line = item.lines().next().unwrap_or("");
    ParseError::NotIr(line.chars().take(80).collect())
}

/// The nodes that something refers to, directly or through others.
fn used_nodes(context: &Context<'_>) -> BTreeMap<u32, Arc<str>> {
    let mut nodes = BTreeMap::new();
    let mut pending: Vec<u32> = context.used.iter().copied().collect();
    while let Some(number) = pending.pop() {
        if nodes.contains_key(&number) {
            continue;
        }
        if let Some(text) = context.nodes.get(&number) {
            pending.extend(references(text));
            nodes.insert(number, text.clone());
        }
    }
    nodes
}
