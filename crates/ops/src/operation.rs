//! An operation: written once, run the same way from every surface.

use std::time::Duration;

use guildhall_store::{ReadTx, Tx};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::content::Needs;
use crate::cx::{Cx, Setting};
use crate::error::{Error, Result};
use crate::input::{self, Raw};
use crate::meta::Meta;

/// One thing the service can do.
///
/// `run` loads, decides by pure code, and applies. It runs inside one transaction and may run again, so it takes its input
/// by reference and touches nothing outside `cx`.
pub(crate) trait Operation: Sized + 'static {
    /// What it says about itself.
    const META: Meta;
    /// Whether it changes anything: [`Reads`] or [`Writes`].
    type Access: Access;
    /// What it takes: path, query and body in one. The single source of its schema on every surface.
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// What it answers.
    type Output: Serialize + JsonSchema;

    /// Does it.
    fn run(cx: &mut Cx<Self::Access>, input: &Self::Input) -> Result<Self::Output>;

    /// Finds out in the look before a write what would hold the writer up: who made a signature, say. Only an operation
    /// whose [`Meta::gathers`] says so is asked.
    ///
    /// What is found is kept with the input, under what it was found for: `run` uses it if that still holds, and finds out
    /// for itself if not. Nothing is refused here, because the request may have been answered before.
    fn gather(_cx: &mut Cx<Reads>, _input: &Self::Input) -> Result<()> {
        Ok(())
    }

    /// Says in the same look which content `run` has to look into that the database does not hold: it is read before the
    /// transaction, and `run` finds it in [`Setting::content`]. Nothing is refused here either, and a read may ask too.
    fn needs(_cx: &mut Cx<Reads>, _input: &Self::Input) -> Result<Needs> {
        Ok(Needs::default())
    }

    /// How long the caller is willing to wait for a better answer than this one.
    fn wait(_input: &Self::Input, _output: &Self::Output) -> Option<Duration> {
        None
    }

    /// The status of an answer that is not the usual one.
    fn status(_output: &Self::Output) -> Option<u16> {
        None
    }
}

/// Which transaction an operation sees. Sealed: there are two.
pub(crate) trait Access: sealed::Sealed + Sized + 'static {
    /// The transaction.
    type Tx<'c>;
    /// Whether it writes.
    const WRITES: bool;
    #[doc(hidden)]
    fn read<O: Operation<Access = Self>>(
        tx: &mut ReadTx<'_>,
        setting: &Setting<'_>,
        input: &O::Input,
    ) -> Result<Ready>;
    #[doc(hidden)]
    fn write<O: Operation<Access = Self>>(
        tx: &mut Tx<'_>,
        setting: &Setting<'_>,
        input: &O::Input,
    ) -> Result<Ready>;
}

/// The access of an operation that changes nothing.
pub(crate) enum Reads {}

/// The access of an operation that changes something.
pub(crate) enum Writes {}

mod sealed {
    pub(crate) trait Sealed {}
    impl Sealed for super::Reads {}
    impl Sealed for super::Writes {}
}

impl Access for Reads {
    type Tx<'c> = ReadTx<'c>;
    const WRITES: bool = false;

    fn read<O: Operation<Access = Self>>(
        tx: &mut ReadTx<'_>,
        setting: &Setting<'_>,
        input: &O::Input,
    ) -> Result<Ready> {
        let output = O::run(&mut Cx::new(tx, setting), input)?;
        Ready::new::<O>(input, &output)
    }

    fn write<O: Operation<Access = Self>>(
        _: &mut Tx<'_>,
        _: &Setting<'_>,
        _: &O::Input,
    ) -> Result<Ready> {
        Err(Error::internal("a read was sent to the writer"))
    }
}

impl Access for Writes {
    type Tx<'c> = Tx<'c>;
    const WRITES: bool = true;

    fn read<O: Operation<Access = Self>>(
        _: &mut ReadTx<'_>,
        _: &Setting<'_>,
        _: &O::Input,
    ) -> Result<Ready> {
        Err(Error::internal("a write was sent to a reader"))
    }

    fn write<O: Operation<Access = Self>>(
        tx: &mut Tx<'_>,
        setting: &Setting<'_>,
        input: &O::Input,
    ) -> Result<Ready> {
        let mut cx = Cx::new(tx, setting);
        let output = O::run(&mut cx, input)?;
        cx.finish()?;
        Ready::new::<O>(input, &output)
    }
}

/// An answer that only has to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    /// The JSON of the output.
    pub body: Vec<u8>,
    /// How long the caller is willing to wait for a better one.
    pub wait: Option<Duration>,
    /// Its status, if it is not the usual one.
    pub status: Option<u16>,
}

impl Ready {
    fn new<O: Operation>(input: &O::Input, output: &O::Output) -> Result<Self> {
        let body =
            serde_json::to_vec(output).map_err(|error| Error::internal(error.to_string()))?;
        Ok(Self { body, wait: O::wait(input, output), status: O::status(output) })
    }
}

/// A request whose input has been read, with its type forgotten.
pub struct Prepared(Box<dyn Run>);

impl Prepared {
    /// Runs an operation that reads.
    pub(crate) fn read(&self, tx: &mut ReadTx<'_>, setting: &Setting<'_>) -> Result<Ready> {
        self.0.read(tx, setting)
    }

    /// Lets an operation find out what it can beforehand, and gives what it needs besides.
    pub(crate) fn gather(&self, tx: &mut ReadTx<'_>, setting: &Setting<'_>) -> Result<Needs> {
        self.0.gather(tx, setting)
    }

    /// Runs an operation that writes.
    pub(crate) fn write(&self, tx: &mut Tx<'_>, setting: &Setting<'_>) -> Result<Ready> {
        self.0.write(tx, setting)
    }
}

trait Run: Send + Sync {
    fn read(&self, tx: &mut ReadTx<'_>, setting: &Setting<'_>) -> Result<Ready>;
    fn gather(&self, tx: &mut ReadTx<'_>, setting: &Setting<'_>) -> Result<Needs>;
    fn write(&self, tx: &mut Tx<'_>, setting: &Setting<'_>) -> Result<Ready>;
}

struct Parsed<O: Operation>(O::Input);

impl<O: Operation> Run for Parsed<O> {
    fn read(&self, tx: &mut ReadTx<'_>, setting: &Setting<'_>) -> Result<Ready> {
        O::Access::read::<O>(tx, setting, &self.0)
    }

    fn gather(&self, tx: &mut ReadTx<'_>, setting: &Setting<'_>) -> Result<Needs> {
        let mut cx = Cx::new(tx, setting);
        O::gather(&mut cx, &self.0)?;
        O::needs(&mut cx, &self.0)
    }

    fn write(&self, tx: &mut Tx<'_>, setting: &Setting<'_>) -> Result<Ready> {
        O::Access::write::<O>(tx, setting, &self.0)
    }
}

/// An operation as the surfaces see it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it says about itself.
    pub meta: Meta,
    /// Whether it changes anything.
    pub writes: bool,
    /// Reads its input.
    pub parse: fn(&Raw<'_>) -> Result<Prepared>,
    /// The schema of its input.
    pub input: fn(&mut SchemaGenerator) -> Schema,
    /// The schema of its output.
    pub output: fn(&mut SchemaGenerator) -> Schema,
    /// The type of its output, for references to it.
    pub output_name: fn() -> String,
}

/// The entry of an operation.
#[must_use]
pub(crate) const fn entry<O: Operation>() -> Entry {
    Entry {
        meta: O::META,
        writes: O::Access::WRITES,
        parse: |raw| Ok(Prepared(Box::new(Parsed::<O>(input::parse(raw)?)))),
        input: |generator| O::Input::json_schema(generator),
        output: |generator| generator.subschema_for::<O::Output>(),
        output_name: || O::Output::schema_name().into_owned(),
    }
}
