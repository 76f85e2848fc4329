//go:build xgboost_cgo

package xgboost

// The functions that library binds, declared once more: where one differs from
// the header, the C compiler stops. TestSignatures compares these lines with
// the Go types. Build with the package libxgboost-dev:
//
//	go build -tags xgboost_cgo ./engines/xgboost

/*
#include <stdint.h>
#include <xgboost/c_api.h>

void XGBoostVersion(int32_t *, int32_t *, int32_t *);
const char *XGBGetLastError();
int32_t XGDMatrixCreateFromDense(const char *, const char *, void **);
int32_t XGDMatrixFree(void *);
int32_t XGDMatrixSetInfoFromInterface(void *, const char *, const char *);
int32_t XGDMatrixSetStrFeatureInfo(void *, const char *, const char **, uint64_t);
int32_t XGBoosterCreate(void *const *, uint64_t, void **);
int32_t XGBoosterFree(void *);
int32_t XGBoosterSetParam(void *, const char *, const char *);
int32_t XGBoosterUpdateOneIter(void *, int32_t, void *);
int32_t XGBoosterEvalOneIter(void *, int32_t, void **, const char **, uint64_t, const char **);
int32_t XGBoosterPredictFromDMatrix(void *, void *, const char *, const uint64_t **, uint64_t *, const float **);
int32_t XGBoosterSlice(void *, int32_t, int32_t, int32_t, void **);
int32_t XGBoosterSaveModelToBuffer(void *, const char *, uint64_t *, const char **);
int32_t XGBoosterLoadModelFromBuffer(void *, const void *, uint64_t);
*/
import "C"
