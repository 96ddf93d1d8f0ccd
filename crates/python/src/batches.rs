//! A table of an answer, which data frames take without a copy.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchIterator};
use arrow::buffer::Buffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Float64Type, Int64Type, Schema, SchemaRef, UInt64Type};
use arrow::error::ArrowError;
use arrow::ffi::FFI_ArrowSchema;
use arrow::ffi_stream::FFI_ArrowArrayStream;
use arrow::ipc::reader::StreamDecoder;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

/// Record batches of one schema.
#[pyclass(frozen, module = "grainsheaf._grainsheaf")]
pub(crate) struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Batches {
    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Names of columns in their order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The cells of the first `most` rows, row by row; `None` is absent.
    fn head<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                if rows.len() >= most {
                    return Ok(rows);
                }
                let columns = batch.columns().iter();
                let cells: PyResult<Vec<_>> = columns.map(|column| cell(py, column, row)).collect();
                rows.append(PyList::new(py, cells?)?)?;
            }
        }
        Ok(rows)
    }

    /// Pages of one table, one after the other.
    #[staticmethod]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "Python hands over a list of references"
    )]
    fn concat(pages: Vec<Py<Self>>) -> PyResult<Self> {
        let pages: Vec<&Self> = pages.iter().map(Py::get).collect();
        Self::unite(&pages).map_err(|error| to_python(&error))
    }

    /// The schema by the C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema).map_err(|error| to_python(&error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The rows by the C stream interface; consumers cast to the schema that they wish for.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches: Vec<_> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

impl Batches {
    /// The table that an Arrow IPC stream holds; columns are parts of its bytes.
    pub(crate) fn decode(bytes: Buffer) -> PyResult<Self> {
        Self::read(bytes).map_err(|error| to_python(&error))
    }

    fn read(mut bytes: Buffer) -> Result<Self, ArrowError> {
        let mut decoder = StreamDecoder::new();
        let mut batches = Vec::new();
        while !bytes.is_empty() {
            if let Some(batch) = decoder.decode(&mut bytes)? {
                batches.push(batch);
            }
        }
        decoder.finish()?;
        let missing = || ArrowError::ParseError("the stream has no schema".to_owned());
        Ok(Self {
            schema: decoder.schema().ok_or_else(missing)?,
            batches,
        })
    }

    fn unite(pages: &[&Self]) -> Result<Self, ArrowError> {
        let Some(first) = pages.first() else {
            return Err(ArrowError::InvalidArgumentError("no pages".to_owned()));
        };
        let fields = first.schema.fields().iter().enumerate();
        let fields: Vec<Field> = fields
            .map(|(column, field)| {
                let kinds = pages
                    .iter()
                    .map(|page| page.schema.field(column).data_type());
                let kind = kinds.fold(field.data_type(), wider).clone();
                Field::new(field.name(), kind, true)
            })
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let mut batches = Vec::new();
        for batch in pages.iter().flat_map(|page| &page.batches) {
            let columns = batch.columns().iter().zip(schema.fields());
            let columns: Result<Vec<ArrayRef>, _> = columns
                .map(|(column, field)| cast(column, field.data_type()))
                .collect();
            batches.push(RecordBatch::try_new(Arc::clone(&schema), columns?)?);
        }
        Ok(Self { schema, batches })
    }
}

/// The type that holds the values of both: pages of a metric are integers or floats by what they have.
fn wider<'a>(one: &'a DataType, other: &'a DataType) -> &'a DataType {
    match (one, other) {
        (DataType::Int64, DataType::Float64) => other,
        _ => one,
    }
}

fn cell<'py>(py: Python<'py>, column: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match column.data_type() {
        DataType::LargeUtf8 => {
            let text = column.as_string::<i64>().value(row);
            text.into_pyobject(py)?.into_any()
        }
        DataType::Float64 => {
            let number = column.as_primitive::<Float64Type>().value(row);
            number.into_pyobject(py)?.into_any()
        }
        DataType::Int64 => {
            let number = column.as_primitive::<Int64Type>().value(row);
            number.into_pyobject(py)?.into_any()
        }
        DataType::UInt64 => {
            let number = column.as_primitive::<UInt64Type>().value(row);
            number.into_pyobject(py)?.into_any()
        }
        DataType::Boolean => {
            let truth = column.as_boolean().value(row);
            truth.into_pyobject(py)?.to_owned().into_any()
        }
        other => {
            let message = format!("cells of type `{other}` are not shown");
            return Err(PyValueError::new_err(message));
        }
    })
}

fn to_python(error: &ArrowError) -> PyErr {
    PyValueError::new_err(format!("cannot read the table: {error}"))
}
